// Bytes alive at every step of a schedule, by what they are for; each value can be picked out.
import { bytes, color, el, svg, whenResized } from "./format.js";
import { byteLabel, byteTicks, frame, ticks } from "./ticks.js";

export const CATEGORIES = ["parameters", "optimizer", "inputs", "activations", "gradients", "workspace"];
const NEAR_TOP = 9;

/** Totals of a plan by category and step, from the stays of its values in memory. */
export function profile(plan, values) {
  const n = plan.steps.length / 2, rows = CATEGORIES.map(() => new Float64Array(n + 1));
  for (let i = 0; i < plan.stays.length; i += 4) {
    const row = rows[values[plan.stays[i]][4]];
    row[plan.stays[i + 1]] += plan.stays[i + 3];
    row[plan.stays[i + 2]] -= plan.stays[i + 3];
  }
  const totals = new Float64Array(n);
  rows.forEach((row, c) => {
    for (let t = 0, sum = 0; t < n; t++) {
      sum += row[t];
      row[t] = sum + (c === CATEGORIES.length - 1 ? plan.own : 0);
      totals[t] += row[t];
    }
  });
  let highest = 0;
  for (let t = 1; t < n; t++) if (totals[t] > totals[highest]) highest = t;
  return { n, rows, totals, highest, held: held(plan, n, totals) };
}

/** What was held at each step, where a run has counted it; freeing is seen in the next step. */
function held(plan, n, totals) {
  if (!plan.held || !plan.held.length) return null;
  const all = new Float64Array(n);
  for (let t = 0, k = 0; t < n; t++) all[t] = plan.steps[2 * t] === 2 ? totals[t] : plan.held[k++];
  return all;
}

/**
 * The picture. options: label(value) names a value, written(step) is the value a step writes or -1,
 * stepLabel(step) says what a step does, onSelect(value, step) is told what is picked.
 */
export function memoryChart(host, options) {
  const under = svg("svg", { "aria-hidden": "true" }), canvas = el("canvas"), over = svg("svg", { role: "img", tabindex: "0", "aria-label": "Bytes alive at each step" }), tip = el("div", { class: "tip", hidden: true });
  host.append(under, canvas, over, tip);
  let plan = null, values = [], shape = null, most = 1, selected = -1, cursor = -1, order = null, place = null, ghost = null;

  /** The stays alive at a step, bottom to top, as [value, from, to, bytes]. */
  function alive(step) {
    const found = [];
    for (const i of order) if (plan.stays[i + 1] <= step && step < plan.stays[i + 2]) found.push(plan.stays.slice(i, i + 4));
    return found;
  }

  function sorted() {
    const all = [];
    for (let i = 0; i < plan.stays.length; i += 4) all.push(i);
    const cat = i => values[plan.stays[i]][4];
    return all.sort((a, b) => cat(a) - cat(b) || plan.stays[a + 1] - plan.stays[b + 1] || plan.stays[a] - plan.stays[b]);
  }

  /** For each column of pixels the step it shows: of several the highest, so that no peak is lost. */
  function columns(width) {
    const steps = new Int32Array(Math.max(1, width)), n = shape.n;
    for (let px = 0; px < steps.length; px++) {
      const from = Math.min(n - 1, Math.floor(px * n / steps.length)), to = Math.max(from + 1, Math.floor((px + 1) * n / steps.length));
      let best = from;
      for (let t = from + 1; t < to && t < n; t++) if (shape.totals[t] > shape.totals[best]) best = t;
      steps[px] = best;
    }
    return steps;
  }

  function draw() {
    const width = host.clientWidth, height = host.clientHeight;
    if (!width || !height) return;
    const box = { left: 62, right: width - 10, top: 24, bottom: height - 40 };
    const scale = devicePixelRatio || 1;
    canvas.width = width * scale; canvas.height = height * scale;
    const g = canvas.getContext("2d");
    g.setTransform(scale, 0, 0, scale, 0, 0);
    under.replaceChildren();
    over.replaceChildren();
    const y = b => box.bottom - b / (most * 1.04) * (box.bottom - box.top);
    if (!plan) { if (ghost) { frame(under, box, { x: t => box.left + t, y, xTicks: [], yTicks: byteTicks(0, most, height / 60), xLabel: String, yLabel: t => byteLabel(t, most), xTitle: "step of the schedule", yTitle: "bytes alive" }); outline(box, y); } return; }
    const x = t => box.left + t / shape.n * (box.right - box.left);
    frame(under, box, { x, y, xTicks: ticks(0, shape.n, width / 130).filter(t => t <= shape.n), yTicks: byteTicks(0, most, height / 60),
      xLabel: t => String(Math.round(t)), yLabel: t => byteLabel(t, most), xTitle: "step of the schedule", yTitle: "bytes alive" });
    const steps = columns(Math.round(box.right - box.left));
    place = { box, steps, y, x };
    const base = new Float64Array(steps.length);
    CATEGORIES.forEach((name, c) => {
      const row = shape.rows[c];
      if (!row.some(b => b > 0)) return;
      g.beginPath();
      for (let px = 0; px < steps.length; px++) { const h = y(base[px]); px ? g.lineTo(box.left + px, h) : g.moveTo(box.left, h); g.lineTo(box.left + px + 1, h); }
      for (let px = steps.length - 1; px >= 0; px--) { base[px] += row[steps[px]]; const h = y(base[px]); g.lineTo(box.left + px + 1, h); g.lineTo(box.left + px, h); }
      g.closePath();
      g.fillStyle = color(name);
      g.fill();
    });
    outline(box, y);
    if (selected >= 0) band(g, steps, box, y);
    if (shape.held) measured(g, steps, box, y);
    marks(box, x, y);
    over.setAttribute("aria-label", "Bytes alive at each of " + shape.n + " steps: at most " + bytes(plan.promised) + " at step " + (shape.highest + 1)
      + " within a budget of " + bytes(plan.budget) + ". Arrow keys move along the steps, Enter selects the value a step writes.");
  }

  /** What keeping everything would take, step by step of its own schedule. */
  function outline(box, y) {
    if (!ghost) return;
    const columns = Math.round((box.right - box.left) / 2);
    let d = "", top = 0;
    for (let i = 0; i <= columns; i++) {
      let b = 0;
      for (let t = Math.floor(i * ghost.length / (columns + 1)); t < Math.max(1, (i + 1) * ghost.length / (columns + 1)); t++) b = Math.max(b, ghost[t]);
      if (b > ghost[top]) top = Math.floor(i * ghost.length / (columns + 1));
      d += (i ? "L" : "M") + (box.left + i / columns * (box.right - box.left)).toFixed(1) + " " + y(b).toFixed(1);
    }
    const line = svg("path", { d, fill: "none", "stroke-dasharray": "1 3", "stroke-width": 1.5, "stroke-linecap": "round" });
    line.style.stroke = "var(--soft)";
    under.append(line, svg("text", { class: "halo", x: box.left + (top + 12) / ghost.length * (box.right - box.left) + 18, y: y(ghost.reduce((a, b) => Math.max(a, b))) + 12 }, "keeping everything"));
  }

  /** The selected value where it lies in the stack. */
  function band(g, steps, box, y) {
    const own = [], category = values[selected][4];
    for (const i of order) if (values[plan.stays[i]][4] === category) own.push(i);
    const runs = [];
    for (let i = 0; i < plan.stays.length; i += 4) if (plan.stays[i] === selected) runs.push([plan.stays[i + 1], plan.stays[i + 2]]);
    g.fillStyle = color("mark");
    for (let px = 0; px < steps.length; px++) {
      const t = steps[px];
      if (!runs.some(r => r[0] <= t && t < r[1])) continue;
      let low = 0;
      for (let c = 0; c < category; c++) low += shape.rows[c][t];
      if (category === CATEGORIES.length - 1) low += plan.own;
      for (const i of own) {
        if (plan.stays[i] === selected && plan.stays[i + 1] <= t && t < plan.stays[i + 2]) { const top = y(low + plan.stays[i + 3]); g.fillRect(box.left + px, top, 1.2, Math.max(2, y(low) - top)); break; }
        if (plan.stays[i + 1] <= t && t < plan.stays[i + 2]) low += plan.stays[i + 3];
      }
    }
  }

  /** What the run held, as counted: a line over what was promised. */
  function measured(g, steps, box, y) {
    g.strokeStyle = color("mark"); g.lineWidth = 1.2;
    g.beginPath();
    for (let px = 0; px < steps.length; px++) { const h = y(shape.held[steps[px]]); px ? g.lineTo(box.left + px, h) : g.moveTo(box.left, h); g.lineTo(box.left + px + 1, h); }
    g.stroke();
  }

  function marks(box, x, y) {
    if (plan.budget <= most * 1.04) {
      const line = svg("line", { x1: box.left, x2: box.right, y1: y(plan.budget), y2: y(plan.budget), "stroke-dasharray": "6 4", "stroke-width": 1.6 });
      line.style.stroke = "var(--budget)";
      const text = svg("text", { class: "halo", x: box.right, y: y(plan.budget) - 6, "text-anchor": "end" }, "budget " + bytes(plan.budget));
      text.style.fill = "var(--budget)";
      over.append(line, text);
    }
    if (plan.turn > 0) {
      const line = svg("line", { x1: x(plan.turn), x2: x(plan.turn), y1: box.top, y2: box.bottom, "stroke-dasharray": "2 3" });
      line.style.stroke = "var(--soft)";
      over.append(line, svg("text", { class: "halo", x: x(plan.turn) - 6, y: box.top + 10, "text-anchor": "end" }, "forward"),
        svg("text", { class: "halo", x: x(plan.turn) + 6, y: box.top + 10 }, "backward"));
    }
    const top = shape.totals[shape.highest], dot = svg("circle", { id: "highest", cx: x(shape.highest + 0.5), cy: y(top), r: 4.5, "stroke-width": 2 });
    dot.style.fill = "var(--panel)"; dot.style.stroke = "var(--mark)";
    const right = x(shape.highest) > (box.left + box.right) / 2;
    over.append(dot, svg("text", { class: "strong halo", x: x(shape.highest + 0.5) + (right ? -10 : 10), y: y(top) + 4, "text-anchor": right ? "end" : "start" }, "peak " + bytes(plan.promised)));
    if (cursor >= 0) {
      const line = svg("line", { x1: x(cursor + 0.5), x2: x(cursor + 0.5), y1: box.top, y2: box.bottom });
      line.style.stroke = "var(--mark)";
      over.append(line);
    }
  }

  /** What lies under a point: a value, or where the top edge is near what the step writes. */
  function pointed(px, py) {
    const column = Math.floor(px - place.box.left);
    if (column < -6 || column >= place.steps.length + 6) return null;
    let step = place.steps[Math.max(0, Math.min(place.steps.length - 1, column))];
    const dx = px - place.x(shape.highest + 0.5), top = place.y(shape.totals[shape.highest]);
    if (Math.hypot(dx, py - top) <= NEAR_TOP) step = shape.highest;
    if (py <= place.y(shape.totals[step]) + NEAR_TOP) return { step, value: options.written(step) };
    let low = 0, owned = false;
    for (const [value, , , b] of alive(step)) {
      if (values[value][4] === CATEGORIES.length - 1 && !owned) {
        owned = true;
        low += plan.own;
        if (py >= place.y(low)) break;
      }
      low += b;
      if (py >= place.y(low)) return { step, value };
    }
    return { step, value: -1 };
  }

  function show(px, py) {
    const found = plan && place && pointed(px, py);
    tip.hidden = !found;
    if (!found) return;
    tip.replaceChildren(el("div", {}, "step " + (found.step + 1) + ": " + options.stepLabel(found.step)),
      el("div", {}, bytes(shape.totals[found.step]) + " alive"), found.value >= 0 ? el("div", {}, options.label(found.value)) : null);
    tip.style.left = Math.max(0, Math.min(px + 14, host.clientWidth - 230)) + "px";
    tip.style.top = Math.max(0, py - 70) + "px";
  }

  over.addEventListener("pointermove", e => { const r = host.getBoundingClientRect(); show(e.clientX - r.left, e.clientY - r.top); });
  over.addEventListener("pointerleave", () => { tip.hidden = true; });
  over.addEventListener("click", e => {
    if (!plan || !place) return;
    const r = host.getBoundingClientRect(), found = pointed(e.clientX - r.left, e.clientY - r.top);
    if (found && found.value >= 0) options.onSelect(found.value, found.step);
  });
  over.addEventListener("keydown", e => {
    if (!plan) return;
    const jump = { ArrowLeft: -1, ArrowRight: 1, PageUp: -20, PageDown: 20, Home: -1e9, End: 1e9 }[e.key];
    if (jump) cursor = Math.max(0, Math.min(shape.n - 1, (cursor < 0 ? shape.highest : cursor) + jump));
    else if (e.key === "Enter") { if (cursor < 0) cursor = shape.highest; const v = options.written(cursor); if (v >= 0) options.onSelect(v, cursor); }
    else if (e.key === "Escape") cursor = -1;
    else return;
    e.preventDefault();
    soon();
    if (place && cursor >= 0) show(place.x(cursor + 0.5), place.y(shape.totals[cursor]));
  });
  const soon = whenResized(host, draw);
  return {
    update(next, itsValues, bound) { plan = next; values = itsValues; most = Math.max(bound, 1); shape = profile(plan, values); order = sorted(); if (selected >= values.length) selected = -1; draw(); },
    clear() { plan = null; selected = -1; ghost = null; soon(); },
    /** Shows behind the plan what keeping everything takes. */
    behind(next, itsValues, bound) { ghost = profile(next, itsValues).totals; most = Math.max(bound, 1); draw(); },
    select(value) { selected = value; soon(); },
  };
}
