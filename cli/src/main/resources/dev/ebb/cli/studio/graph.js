// The graph by regions, forward beside backward; folded or not. Only what is in sight is drawn.
import { bytes, color, el, onceAFrame, whenResized } from "./format.js";

const HEAD = 34, CHIP = 24, GAP = 4, WIDE = 168, PAD = 12;

/** options: fate(value) names what became of a value, onSelect(value) is told what is picked. */
export function graphView(host, options) {
  const canvas = el("canvas"), extent = el("div", { class: "extent" });
  const view = el("div", { class: "graph", tabindex: "0", role: "application", "aria-label": "Graph by regions. Arrow keys move between values, Enter folds and unfolds a region." }, canvas, extent);
  const fold = el("button", { type: "button" }, "Fold all"), unfold = el("button", { type: "button" }, "Unfold all");
  host.append(el("div", { class: "actions" }, fold, unfold), view);
  let model = null, regions = [], selected = -1, chips = new Map(), total = 0, readers = [];

  function load(next) {
    model = next;
    regions = model.regions.map((name, i) => ({ name, i, open: model.nodes.length < 400 && i < 2, halves: [[], []], top: 0, height: HEAD }));
    readers = model.values.map(() => []);
    model.nodes.forEach((node, n) => { regions[node[1]].halves[node[2]].push(n); node[3].forEach(v => readers[v].push(n)); });
    selected = -1;
    lay();
  }

  /** Where everything lies; linear in the nodes that are unfolded. */
  function lay() {
    const half = Math.max(WIDE, (view.clientWidth - 3 * PAD) / 2), columns = Math.max(1, Math.floor(half / (WIDE + GAP)));
    let top = PAD;
    chips = new Map();
    for (const region of regions) {
      region.top = top;
      let lines = 0;
      if (region.open) region.halves.forEach((nodes, h) => {
        lines = Math.max(lines, Math.ceil(nodes.length / columns));
        nodes.forEach((n, k) => chips.set(n, { x: PAD + h * (half + PAD) + (k % columns) * (WIDE + GAP), y: top + HEAD + Math.floor(k / columns) * (CHIP + GAP) }));
      });
      region.height = HEAD + lines * (CHIP + GAP) + (lines ? 8 : 0);
      top += region.height + 6;
    }
    total = top;
    extent.style.height = total + "px";
    soon();
  }

  function draw() {
    const width = view.clientWidth, height = view.clientHeight;
    if (!width || !height || !model) return;
    const scale = devicePixelRatio || 1, g = canvas.getContext("2d");
    if (canvas.width !== width * scale || canvas.height !== height * scale) { canvas.width = width * scale; canvas.height = height * scale; canvas.style.width = width + "px"; canvas.style.height = height + "px"; }
    g.setTransform(scale, 0, 0, scale, 0, 0);
    g.clearRect(0, 0, width, height);
    g.textBaseline = "middle";
    const up = view.scrollTop, ink = color("ink"), soft = color("soft"), line = color("line"), panel = color("panel"), paper = color("paper");
    const fates = Object.fromEntries(["kept", "again", "rebuilt", "moved", "freed"].map(f => [f, color(f)]));
    const own = selected >= 0 ? model.values[selected][5] : -1;
    const near = new Set(selected >= 0 ? [...readers[selected], ...(own >= 0 ? model.nodes[own][3].map(v => model.values[v][5]) : [])] : []);
    for (const region of regions) {
      const y = region.top - up;
      if (y > height || y + region.height < 0) continue;
      g.fillStyle = paper; g.strokeStyle = line;
      g.beginPath(); g.roundRect(4, y, width - 8, region.height, 8); g.fill(); g.stroke();
      heading(g, region, y, width, ink, soft, fates);
    }
    if (own >= 0) for (const n of near) if (n >= 0) edge(g, own, n, up);
    for (const region of regions) {
      if (!region.open || region.top - up > height || region.top + region.height - up < 0) continue;
      for (const nodes of region.halves) for (const n of nodes) {
        const at = chips.get(n), cy = at.y - up;
        if (cy > height || cy + CHIP < 0) continue;
        const v = model.nodes[n][4][0];
        g.fillStyle = panel; g.strokeStyle = n === own ? ink : near.has(n) ? color("accent") : line; g.lineWidth = n === own ? 2 : near.has(n) ? 1.6 : 1;
        g.beginPath(); g.roundRect(at.x, cy, WIDE, CHIP, 5); g.fill(); g.stroke(); g.lineWidth = 1;
        g.fillStyle = fates[options.fate(v)] || soft;
        g.beginPath(); g.arc(at.x + 11, cy + CHIP / 2, 4.5, 0, 7); g.fill();
        g.font = "12px system-ui, sans-serif"; g.fillStyle = ink;
        g.fillText(short(g, model.nodes[n][0], WIDE - 70), at.x + 21, cy + CHIP / 2 + 1);
        g.fillStyle = soft; g.textAlign = "right"; g.fillText(model.values[v][0], at.x + WIDE - 7, cy + CHIP / 2 + 1); g.textAlign = "left";
      }
    }
  }

  function heading(g, region, y, width, ink, soft, fates) {
    g.fillStyle = ink; g.font = "600 13px system-ui, sans-serif";
    g.fillText((region.open ? "▾ " : "▸ ") + short(g, region.name, width / 3), PAD, y + HEAD / 2);
    g.font = "12px system-ui, sans-serif"; g.fillStyle = soft;
    const text = region.halves[0].length + " forward, " + region.halves[1].length + " backward";
    g.textAlign = "right"; g.fillText(text, width - PAD - 4, y + HEAD / 2); g.textAlign = "left";
    const sums = {}; let all = 0;
    for (const nodes of region.halves) for (const n of nodes) for (const v of model.nodes[n][4]) { const f = options.fate(v); if (f === "freed") continue; sums[f] = (sums[f] || 0) + model.values[v][3]; all += model.values[v][3]; }
    if (width < 620 || !all) return;
    let x = width * 0.36; const span = width * 0.26;
    for (const f of Object.keys(fates)) if (sums[f]) { const w = span * sums[f] / all; g.fillStyle = fates[f]; g.fillRect(x, y + HEAD / 2 - 4, Math.max(1, w - 1), 8); x += w; }
    g.fillStyle = soft; g.fillText(bytes(all), width * 0.63, y + HEAD / 2);
  }

  const lengths = new Map();
  function short(g, text, width) {
    const key = text + width + g.font;
    if (lengths.has(key)) return lengths.get(key);
    let t = text;
    while (t.length > 3 && g.measureText(t + (t === text ? "" : "…")).width > width) t = t.slice(0, -1);
    const shown = t === text ? t : t + "…";
    if (lengths.size > 4000) lengths.clear();
    lengths.set(key, shown);
    return shown;
  }

  /** The middle of a node, or of its region's heading where that is folded. */
  function middle(n, up) {
    const at = chips.get(n), region = regions[model.nodes[n][1]];
    return at ? [at.x + WIDE / 2, at.y - up + CHIP / 2] : [view.clientWidth * (model.nodes[n][2] ? 0.75 : 0.25), region.top - up + HEAD / 2];
  }

  function edge(g, a, b, up) {
    const [x1, y1] = middle(a, up), [x2, y2] = middle(b, up);
    if (Math.max(y1, y2) < -200 || Math.min(y1, y2) > view.clientHeight + 200) return;
    g.strokeStyle = color("accent"); g.globalAlpha = .75; g.lineWidth = 1.5;
    g.beginPath(); g.moveTo(x1, y1); g.bezierCurveTo(x1, (y1 + y2) / 2, x2, (y1 + y2) / 2, x2, y2); g.stroke(); g.globalAlpha = 1; g.lineWidth = 1;
  }

  canvas.addEventListener("click", e => {
    const r = canvas.getBoundingClientRect(), x = e.clientX - r.left, y = e.clientY - r.top + view.scrollTop;
    const region = regions.find(q => y >= q.top && y < q.top + q.height);
    if (!region) return;
    if (y < region.top + HEAD) { region.open = !region.open; lay(); return; }
    for (const nodes of region.halves) for (const n of nodes) { const at = chips.get(n); if (at && x >= at.x && x < at.x + WIDE && y >= at.y && y < at.y + CHIP) { options.onSelect(model.nodes[n][4][0]); return; } }
  });
  view.addEventListener("keydown", e => {
    if (!model) return;
    const own = selected >= 0 ? model.values[selected][5] : -1, jump = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (jump) { e.preventDefault(); const n = Math.max(0, Math.min(model.nodes.length - 1, own < 0 ? 0 : own + jump)); options.onSelect(model.nodes[n][4][0]); }
    else if (e.key === "Enter" && own >= 0) { const region = regions[model.nodes[own][1]]; region.open = !region.open; lay(); }
  });
  const all = open => () => { regions.forEach(r => { r.open = open; }); lay(); };
  fold.addEventListener("click", all(false));
  unfold.addEventListener("click", all(true));
  const soon = onceAFrame(draw);
  view.addEventListener("scroll", soon);
  whenResized(view, () => { if (model) lay(); });
  return {
    load, redraw: soon,
    get nodes() { return model ? model.nodes.length : 0; },
    /** Unfolds the region of a value and brings its node into sight. */
    select(value) {
      selected = value;
      const own = value >= 0 && model ? model.values[value][5] : -1;
      if (own >= 0) {
        const region = regions[model.nodes[own][1]];
        if (!region.open) { region.open = true; lay(); }
        const at = chips.get(own);
        if (view.clientHeight && (at.y < view.scrollTop + HEAD || at.y > view.scrollTop + view.clientHeight - 2 * CHIP)) view.scrollTop = Math.max(0, at.y - view.clientHeight / 2);
      }
      soon();
    },
  };
}
