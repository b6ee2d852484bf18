// What each size of a model does to memory: training beside use.
import { ask, bytes, el, status, swatch } from "./format.js";
import { CATEGORIES } from "./memorychart.js";

const $ = id => document.getElementById(id);
const SLIDERS = [
  { name: "batch", title: "Batch", values: [1, 2, 4, 8, 16, 32, 64, 128], start: 16 },
  { name: "context", title: "Context", values: [32, 64, 128, 256, 512, 1024, 2048], start: 128 },
  { name: "width", title: "Width", values: [64, 128, 192, 256, 384, 512, 768, 1024], start: 128 },
  { name: "layers", title: "Depth", values: [1, 2, 3, 4, 6, 8, 12, 16, 24], start: 4 },
  { name: "heads", title: "Heads", values: [1, 2, 4, 8], start: 4 },
];
const CHOICES = [
  { name: "optimizer", title: "Optimizer", values: ["adamw", "lion", "momentum", "sgd"] },
  { name: "precision", title: "Precision", values: ["f32", "bf16", "f16"] },
  { name: "trained", title: "What is trained", values: ["whole", "adapters", "adapters-8", "adapters-4"],
    texts: ["the whole model", "adapters of rank 8 (LoRA)", "adapters, frozen 8-bit weights", "adapters, frozen 4-bit weights"] },
];

export function driversView() {
  const state = {}, form = $("sliders");
  let asked = 0, timer = 0, scale = 0;
  for (const s of SLIDERS) {
    state[s.name] = s.start;
    const out = el("output", {}, String(s.start));
    form.append(el("label", {}, s.title, out, el("input", { type: "range", name: s.name, min: 0, max: s.values.length - 1, step: 1, value: s.values.indexOf(s.start), "aria-label": s.title, "aria-valuetext": String(s.start),
      oninput: e => { state[s.name] = s.values[e.target.value]; out.textContent = state[s.name]; e.target.setAttribute("aria-valuetext", String(state[s.name])); soon(); } })));
  }
  for (const c of CHOICES) {
    state[c.name] = c.values[0];
    form.append(el("label", {}, c.title, el("select", { name: c.name, onchange: e => { state[c.name] = e.target.value; soon(); } }, ...c.values.map((v, i) => el("option", { value: v }, (c.texts || c.values)[i])))));
  }
  form.addEventListener("submit", e => e.preventDefault());
  for (const c of CATEGORIES) $("drivers-legend").append(el("li", {}, swatch(c), c));

  const soon = () => { clearTimeout(timer); timer = setTimeout(load, 60); };

  async function load() {
    const mine = ++asked;
    $("bars").setAttribute("aria-busy", "true");
    try {
      const { layers, width, heads, ...rest } = state;
      const found = await ask("memory", { model: layers + "x" + width + "x" + heads, ...rest });
      if (mine !== asked) return;
      draw(found);
      status("");
    } catch (e) { if (mine === asked) status(e.message, true); }
    if (mine === asked) $("bars").removeAttribute("aria-busy");
  }

  function bar(name, parts, total) {
    const stack = el("div", { class: "stack", role: "img", "aria-label": name + ": " + bytes(total) });
    for (const [category, b] of parts) if (b > 0) { const piece = swatch(category); piece.style.width = 100 * b / scale + "%"; piece.title = category + " " + bytes(b); stack.append(piece); }
    return el("div", {}, el("div", { class: "bar-name" }, el("span", {}, name), el("b", {}, bytes(total))), stack);
  }

  function draw(found) {
    const sum = CATEGORIES.reduce((a, c) => a + found.bytes[c], 0);
    // the parts peak at different moments: they are shown in proportion, and the total is the plan's
    const parts = CATEGORIES.map(c => [c, found.bytes[c] * found.training / sum]);
    scale = Math.max(found.training, found.use);
    const used = [["parameters", Math.min(found.use, found.bytes.parameters)], ["activations", Math.max(0, found.use - found.bytes.parameters)]];
    const table = el("table", {}, el("thead", {}, el("tr", {}, el("th", {}, "most at once"), el("th", { class: "n" }, "training"))),
      el("tbody", {}, ...CATEGORIES.filter(c => found.bytes[c]).map(c => el("tr", {}, el("td", {}, swatch(c, "span", "dot"), c), el("td", { class: "n" }, bytes(found.bytes[c]))))));
    $("bars").replaceChildren(el("div", { class: "bars" }, bar(state.trained === "whole" ? "training, everything kept" : "fine-tuning, everything kept", parts, found.training), bar("inference: the logits of a batch", used, found.use), table));
    $("drivers-note").textContent = "Training takes " + (found.training / found.use).toFixed(1) + " times the memory of inference. Attention does not store its scores; storing them for the backward pass would take " + bytes(found.scores) + " more. Set a smaller budget on the Plan page.";
    $("drivers-command").textContent = found.command;
  }
  return { open() { if (!asked) load(); } };
}
