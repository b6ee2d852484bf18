// Lines over steps: losses of one run or of several, speed.
import { el, svg, whenResized } from "./format.js";
import { frame, ticks, wholeTicks } from "./ticks.js";

/** A chart in host; update takes { series: [{ name, color, dash, points: [[x, y]] }], xTitle, yTitle, digits }. */
export function lineChart(host, label) {
  const root = svg("svg", { role: "img", "aria-label": label }), tip = el("div", { class: "tip", hidden: true });
  host.append(root, tip);
  let now = { series: [], xTitle: "", yTitle: "", digits: 3 }, at = () => null;

  function draw() {
    const width = host.clientWidth, height = host.clientHeight;
    if (!width || !height) return;
    const box = { left: 46, right: width - 12, top: 22, bottom: height - 40 };
    const all = now.series.flatMap(s => s.points).filter(p => Number.isFinite(p[1]));
    const xs = all.map(p => p[0]), ys = all.map(p => p[1]);
    const x0 = xs.length ? xs.reduce((a, b) => Math.min(a, b)) : 0, x1 = xs.length ? Math.max(x0 + 1, xs.reduce((a, b) => Math.max(a, b))) : 1;
    let y0 = ys.length ? ys.reduce((a, b) => Math.min(a, b)) : 0, y1 = ys.length ? ys.reduce((a, b) => Math.max(a, b)) : 1;
    const air = (y1 - y0 || 1) * 0.06; y0 -= air; y1 += air;
    const x = v => box.left + (v - x0) / (x1 - x0) * (box.right - box.left), y = v => box.bottom - (v - y0) / (y1 - y0) * (box.bottom - box.top);
    root.replaceChildren();
    frame(root, box, { x, y, xTicks: wholeTicks(x0, x1, width / 110), yTicks: ticks(y0, y1, height / 55),
      xLabel: String, yLabel: t => String(Number(t.toPrecision(4))), xTitle: now.xTitle, yTitle: now.yTitle });
    for (const s of now.series) {
      const d = s.points.filter(p => Number.isFinite(p[1])).map((p, i) => (i ? "L" : "M") + x(p[0]).toFixed(1) + " " + y(p[1]).toFixed(1)).join("");
      const path = svg("path", { d, fill: "none", "stroke-width": s.dash ? 1.4 : 1.9, "stroke-linejoin": "round", "stroke-dasharray": s.dash || null });
      path.style.stroke = `var(--${s.color})`;
      root.append(path);
      if (s.dots) for (const p of s.points) { const c = svg("circle", { cx: x(p[0]), cy: y(p[1]), r: 3.2 }); c.style.fill = `var(--${s.color})`; root.append(c); }
    }
    if (now.series.length > 1) {
      const names = svg("text", { x: box.right, y: 11, "text-anchor": "end" });
      now.series.forEach((s, i) => { const mark = svg("tspan", {}, (i ? "   " : "") + "● "); mark.style.fill = `var(--${s.color})`; names.append(mark, svg("tspan", {}, s.name)); });
      root.append(names);
    }
    root.setAttribute("aria-label", label + ": " + now.series.map(s => s.name + (s.points.length ? " " + s.points.at(-1)[1].toFixed(now.digits) + " at " + s.points.at(-1)[0] : ", nothing yet")).join("; "));
    at = px => Math.round(x0 + (px - box.left) / (box.right - box.left) * (x1 - x0));
  }
  host.addEventListener("pointermove", e => {
    const bounds = host.getBoundingClientRect(), step = at(e.clientX - bounds.left);
    const lines = now.series.filter(s => s.points.length).map(s => {
      const p = s.points.reduce((best, q) => Math.abs(q[0] - step) < Math.abs(best[0] - step) ? q : best);
      return s.name + ": " + p[1].toFixed(now.digits) + " (" + p[0] + ")";
    });
    tip.hidden = !lines.length;
    tip.replaceChildren(...lines.map(t => el("div", {}, t)));
    tip.style.left = Math.min(e.clientX - bounds.left + 14, bounds.width - 190) + "px";
    tip.style.top = "26px";
  });
  host.addEventListener("pointerleave", () => { tip.hidden = true; });
  const soon = whenResized(host, draw);
  return { update(next) { now = { digits: 3, ...next }; soon(); } };
}
