// The least predicted time at every budget, with a handle for the budget at hand.
import { bytes, svg, whenResized } from "./format.js";
import { byteLabel, byteTicks, frame, ticks } from "./ticks.js";

/** Where a chart is narrower, what its lines are called stands above it. */
const NARROW = 480;
const LINES = ["series-0", "series-2", "series-4", "series-1"];

/** The picture; onBudget, where there is one, is told the bytes that the handle is moved to. */
export function curveChart(host, onBudget) {
  const root = svg("svg", {});
  host.append(root);
  const handle = svg("g", onBudget ? { class: "handle", role: "slider", tabindex: "0", "aria-label": "Budget", "aria-orientation": "horizontal" } : { role: "img" });
  let curve = null, budget = 0, place = null, dragging = false;

  /** The lines to draw: [{ ways, points: [[bytes, relative time]] }], dearest points last. */
  function lines() {
    const once = curve.storeAllCost || 1;
    const raw = curve.lines || [{ ways: "", points: [[curve.storeAll, once], ...curve.points] }];
    return raw.map(l => ({ ways: l.ways, points: l.points.map(p => [p[0], p[1] / once]) }));
  }

  const timeAt = (points, b) => { const p = points.find(q => q[0] <= b); return p ? p[1] : null; };

  function draw() {
    const width = host.clientWidth, height = host.clientHeight;
    if (!width || !height || !curve || !curve.storeAll) { root.replaceChildren(); return; }
    const all = lines(), right = curve.storeAll * 1.02;
    const names = all.length > 1 ? 16 * all.length : 0, narrow = width < NARROW;
    const box = { left: 62, right: width - 14, top: 24 + (narrow ? names + 14 : 0), bottom: height - 40 };
    const dearest = Math.max(1.05, ...all.flatMap(l => l.points.map(p => p[1]))), high = 1 + (dearest - 1) * 1.12;
    const x = b => box.left + b / right * (box.right - box.left), y = t => box.bottom - (t - 1) / (high - 1) * (box.bottom - box.top) * 0.94 - 6;
    place = { x, box, right, points: all.at(-1).points };
    root.replaceChildren();
    frame(root, box, { x, y, xTicks: byteTicks(0, right, width / 120), yTicks: ticks(1, high, height / 50), xLabel: t => byteLabel(t, right), yLabel: t => t.toFixed(2) + " ×",
      xTitle: "budget", yTitle: "predicted time, of computing everything once" });
    if (curve.least) {
      const shade = svg("rect", { x: box.left, y: box.top, width: Math.max(0, x(curve.least) - box.left), height: box.bottom - box.top, opacity: .5 });
      shade.style.fill = "var(--grid)";
      root.append(shade, svg("text", { class: "halo", x: x(curve.least) + (x(curve.least) - box.left > 110 ? -6 : 6), y: box.bottom - 8, "text-anchor": x(curve.least) - box.left > 110 ? "end" : "start" }, "least " + bytes(curve.least)));
    }
    all.forEach((line, i) => {
      const d = line.points.map((p, k) => (k ? `L${x(p[0]).toFixed(1)} ${y(line.points[k - 1][1]).toFixed(1)}` : "M") + (k ? "L" : "") + `${x(p[0]).toFixed(1)} ${y(p[1]).toFixed(1)}`).join("");
      const path = svg("path", { d, fill: "none", "stroke-width": 2, "stroke-linejoin": "round", "stroke-dasharray": i && i === all.length - 1 ? "7 3" : null });
      path.style.stroke = `var(--${LINES[i % LINES.length]})`;
      root.append(path);
      if (all.length > 1) { const t = svg("text", { x: box.right, y: (narrow ? 16 : box.top) + 14 + 16 * i, "text-anchor": "end" }, line.ways + ", from " + bytes(line.points.at(-1)[0])); t.style.fill = `var(--${LINES[i % LINES.length]})`; root.append(t); }
    });
    mark(x, y, box, narrow ? -14 : names);
    root.append(handle);
  }

  function mark(x, y, box, names) {
    const at = Math.min(budget, place.right), time = timeAt(place.points, budget);
    const line = svg("line", { x1: x(at), x2: x(at), y1: box.top, y2: box.bottom, "stroke-dasharray": "6 4", "stroke-width": 1.6 });
    line.style.stroke = "var(--budget)";
    const grip = svg("rect", { x: x(at) - 14, y: box.top, width: 28, height: box.bottom - box.top, fill: "transparent" });
    const dot = svg("circle", { cx: x(at), cy: time == null ? box.bottom : y(time), r: 8, "stroke-width": 2.5 });
    dot.style.fill = "var(--panel)"; dot.style.stroke = "var(--budget)";
    const text = svg("text", { class: "strong halo", x: x(at) + (x(at) > box.right - 150 ? -12 : 12), y: box.top + 10 + (names < 0 || x(at) > box.right - 400 ? names : 0), "text-anchor": x(at) > box.right - 150 ? "end" : "start" },
      bytes(budget) + (time == null ? "" : ", " + time.toFixed(3) + " ×"));
    handle.replaceChildren(line, grip, dot, text);
    if (!onBudget) { handle.setAttribute("aria-label", bytes(budget) + (time == null ? "" : ", " + time.toFixed(3) + " of computing everything once")); return; }
    handle.setAttribute("aria-valuemin", Math.round(curve.least || 1));
    handle.setAttribute("aria-valuemax", Math.round(curve.storeAll));
    handle.setAttribute("aria-valuenow", Math.round(budget));
    handle.setAttribute("aria-valuetext", bytes(budget) + (time == null ? "" : ", " + time.toFixed(3) + " of computing everything once"));
  }

  function moveTo(clientX) {
    const r = host.getBoundingClientRect(), b = (clientX - r.left - place.box.left) / (place.box.right - place.box.left) * place.right;
    set(Math.round(Math.max(curve.least || 1, Math.min(curve.storeAll, b))));
  }

  function set(b) { if (b !== budget) { budget = b; draw(); onBudget(b); } }

  if (onBudget) {
    root.addEventListener("pointerdown", e => { if (!place) return; dragging = true; root.setPointerCapture(e.pointerId); moveTo(e.clientX); handle.focus({ preventScroll: true }); e.preventDefault(); });
    root.addEventListener("pointermove", e => { if (dragging) moveTo(e.clientX); });
    for (const end of ["pointerup", "pointercancel"]) root.addEventListener(end, () => { dragging = false; });
    root.style.touchAction = "pan-y";
    handle.addEventListener("keydown", e => {
      if (!place) return;
      const corners = place.points.map(p => p[0]), less = corners.find(b => b < budget), more = corners.findLast(b => b > budget);
      const next = { ArrowLeft: less, ArrowDown: less, ArrowRight: more, ArrowUp: more, Home: curve.least || corners.at(-1), End: curve.storeAll,
        PageDown: Math.max(curve.least || 1, Math.round(budget - curve.storeAll / 10)), PageUp: Math.min(curve.storeAll, Math.round(budget + curve.storeAll / 10)) }[e.key];
      if (next == null) return;
      e.preventDefault();
      set(next);
      handle.focus({ preventScroll: true });
    });
  }
  const soon = whenResized(host, draw);
  return {
    update(next, itsBudget) { curve = next; if (!dragging) budget = itsBudget; const had = document.activeElement === handle; draw(); if (had) handle.focus({ preventScroll: true }); },
    get budget() { return budget; },
  };
}
