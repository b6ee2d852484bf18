// A long table of which only the rows in sight are in the page.
import { el, onceAFrame } from "./format.js";

const ROW = 28, AHEAD = 6;

/**
 * columns: [{ title, width, number, wide: only where there is room, show(row) -> text or element, key(row) -> what is sorted by }];
 * a row is known by row.id. onSelect is told a row.
 */
export function windowed(host, label, columns, onSelect) {
  const heads = el("div", { class: "heads", role: "row" }), sheet = el("div", { class: "sheet", role: "rowgroup" });
  const view = el("div", { class: "window", role: "grid", "aria-label": label, tabindex: "0" }, heads, sheet);
  host.append(view);
  let rows = [], chosen = -1, touched = new Set(), sort = null, down = false;

  let shown = [], grid = "";

  /** The columns there is room for. */
  function fit() {
    const room = view.clientWidth === 0 || view.clientWidth > 620, next = columns.filter(c => room || !c.wide);
    if (next.length === shown.length) return;
    shown = next;
    grid = shown.map(c => c.width).join(" ");
    heads.style.gridTemplateColumns = grid;
    heads.replaceChildren();
    title();
  }

  const title = () => shown.forEach(c => heads.append(el("button", { type: "button", role: "columnheader", class: c.number ? "n" : null, onclick: () => {
    if (!c.key) return;
    down = sort === c ? !down : !!c.number;
    sort = c;
    order(); draw();
  } }, c.title)));

  function order() {
    if (!sort) return;
    const key = sort.key;
    rows = rows.slice().sort((a, b) => { const p = key(a), q = key(b); return (p < q ? -1 : p > q ? 1 : 0) * (down ? -1 : 1); });
    for (const [i, c] of shown.entries()) heads.children[i].setAttribute("aria-sort", c === sort ? (down ? "descending" : "ascending") : "none");
  }

  function draw() {
    fit();
    sheet.style.height = rows.length * ROW + "px";
    view.setAttribute("aria-rowcount", rows.length + 1);
    const first = Math.max(0, Math.floor((view.scrollTop - 30) / ROW) - AHEAD), last = Math.min(rows.length, first + Math.ceil((view.clientHeight || 360) / ROW) + 2 * AHEAD);
    const drawn = [];
    for (let i = first; i < last; i++) {
      const row = rows[i];
      const line = el("div", { class: "row" + (row.id === chosen ? " chosen" : touched.has(row.id) ? " touches" : ""), role: "row", "aria-rowindex": i + 2, "aria-selected": row.id === chosen ? "true" : "false", "data-id": row.id },
        ...shown.map(c => el("span", { role: "gridcell", class: c.number ? "n" : null }, c.show(row))));
      line.style.top = i * ROW + "px";
      line.style.gridTemplateColumns = grid;
      drawn.push(line);
    }
    sheet.replaceChildren(...drawn);
  }

  const soon = onceAFrame(draw);
  view.addEventListener("scroll", soon);
  new ResizeObserver(soon).observe(view);
  sheet.addEventListener("click", e => { const line = e.target.closest(".row"); if (line) onSelect(rows.find(r => String(r.id) === line.dataset.id)); });
  view.addEventListener("keydown", e => {
    const at = rows.findIndex(r => r.id === chosen), jump = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[e.key];
    if (!jump || !rows.length) return;
    e.preventDefault();
    onSelect(rows[Math.max(0, Math.min(rows.length - 1, at < 0 ? 0 : at + jump))]);
  });
  return {
    rows(next) { rows = next; order(); draw(); },
    /** Marks a row, brings it into sight, and marks those it has to do with. */
    choose(id, others = []) {
      chosen = id; touched = new Set(others);
      const at = rows.findIndex(r => r.id === id);
      if (at >= 0 && (at * ROW < view.scrollTop || at * ROW > view.scrollTop + view.clientHeight - 2 * ROW)) view.scrollTop = Math.max(0, at * ROW - view.clientHeight / 2);
      draw();
    },
    redraw: draw,
  };
}
