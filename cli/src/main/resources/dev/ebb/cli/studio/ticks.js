// Where axes have their marks, and the frame that charts share.
import { svg } from "./format.js";

/** About n round numbers from a to b. */
export function ticks(a, b, n) {
  if (!(b > a)) return [a];
  const raw = (b - a) / Math.max(1, n), power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map(m => m * power).find(s => s >= raw);
  const all = [];
  for (let i = Math.ceil(a / step - 1e-9); i * step <= b + step * 1e-9; i++) all.push(i * step);
  return all;
}

/** Like ticks, for what is counted: whole numbers alone. */
export const wholeTicks = (a, b, n) => ticks(a, b, Math.min(n, b - a)).filter(Number.isInteger);

/** Like ticks, for bytes: round in the unit that is shown. */
export function byteTicks(a, b, n) {
  const unit = b >= 2 ** 30 ? 2 ** 30 : b >= 2 ** 20 ? 2 ** 20 : b >= 1024 ? 1024 : 1;
  return ticks(a / unit, b / unit, n).map(t => t * unit);
}

export function byteLabel(b, most) {
  const [unit, name] = most >= 2 ** 30 ? [2 ** 30, "GiB"] : most >= 2 ** 20 ? [2 ** 20, "MiB"] : most >= 1024 ? [1024, "KiB"] : [1, "B"];
  return b ? Number((b / unit).toFixed(2)) + " " + name : "0";
}

/** Grid, marks and titles of both axes, in an SVG element; x and y map values to places. */
export function frame(root, box, { x, y, xTicks, yTicks, xLabel, yLabel, xTitle, yTitle }) {
  for (const t of yTicks) {
    root.append(svg("line", { class: "grid", x1: box.left, x2: box.right, y1: y(t), y2: y(t) }),
      svg("text", { x: box.left - 8, y: y(t) + 4, "text-anchor": "end" }, yLabel(t)));
  }
  for (const t of xTicks) {
    root.append(svg("line", { class: "axis", x1: x(t), x2: x(t), y1: box.bottom, y2: box.bottom + 4 }),
      svg("text", { x: x(t), y: box.bottom + 17, "text-anchor": x(t) > box.right - 14 ? "end" : "middle" }, xLabel(t)));
  }
  root.append(svg("line", { class: "axis", x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom }),
    svg("text", { class: "title", x: box.right, y: box.bottom + 33, "text-anchor": "end" }, xTitle),
    svg("text", { class: "title", x: 0, y: 11 }, yTitle));
}
