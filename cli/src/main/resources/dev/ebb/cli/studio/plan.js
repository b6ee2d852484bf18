// The plan view: a model, a budget, and everything that follows from them.
import { ask, bytes, el, parseBytes, pause, status, swatch } from "./format.js";
import { CATEGORIES, memoryChart } from "./memorychart.js";
import { curveChart } from "./curvechart.js";
import { windowed } from "./windowed.js";
import { graphView } from "./graph.js";
import { whyPanel } from "./why.js";

const COMPUTE = 0, REBUILD = 1, FREE = 2, OFFLOAD = 3, FETCH = 4;
const FATES = { held: "input, always in memory", kept: "kept for the backward pass", again: "computed again", rebuilt: "rebuilt", moved: "offloaded", freed: "used and freed" };
const START = 64 * 1048576;
const $ = id => document.getElementById(id);

export function planView() {
  let query = {}, traced = null, model = null, plan = null, budget = START, curve = null, selected = -1, generation = 0, asking = null, asked = 0, fates = [];
  const form = $("choices");
  for (const c of CATEGORIES) $("legend").append(el("li", {}, swatch(c), c));
  for (const [f, text] of Object.entries(FATES)) $("fates").append(el("li", {}, swatch(f), text));

  const label = v => model.values[v][0] + " " + model.values[v][1] + ", " + bytes(model.values[v][3]);
  function stepLabel(t) {
    const kind = plan.steps[2 * t], at = plan.steps[2 * t + 1];
    if (kind === COMPUTE) { const node = model.nodes[at]; return node[0] + " in " + model.regions[node[1]]; }
    return ["", "rebuild ", "free ", "offload ", "fetch "][kind] + (at < 0 ? "" : model.values[at][0]);
  }
  function written(t) {
    const kind = plan.steps[2 * t], at = plan.steps[2 * t + 1];
    if (kind === FREE || kind === OFFLOAD) return -1;
    if (kind !== COMPUTE) return at;
    return model.nodes[at][4].reduce((best, v) => best < 0 || model.values[v][3] > model.values[best][3] ? v : best, -1);
  }

  const memory = memoryChart($("memory"), { label, stepLabel, written, onSelect: select });
  const chart = curveChart($("curve"), b => { budget = b; showBudget(); follow(); });
  const why = whyPanel($("why"));
  const dot = f => el("span", {}, swatch(f, "span", "dot"), FATES[f] || f);
  const table = windowed($("values"), "Values", [
    { title: "value", width: "4rem", show: r => r.name, key: r => r.id },
    { title: "what", width: "minmax(4rem, 2fr)", show: r => r.what, key: r => r.what },
    { title: "bytes", width: "5.6rem", number: true, show: r => bytes(r.bytes), key: r => r.bytes },
    { title: "type", width: "minmax(7rem, 1fr)", wide: true, show: r => r.type, key: r => r.type },
    { title: "where", width: "minmax(7rem, 1fr)", wide: true, show: r => r.where, key: r => r.where },
    { title: "what happens", width: "minmax(5.6rem, 15rem)", show: r => dot(fates[r.id] || "freed"), key: r => fates[r.id] || "" },
  ], row => select(row.id));
  const graph = graphView($("graph"), { fate: v => fates[v] || "freed", onSelect: select });
  const schedule = windowed($("schedule"), "Schedule", [
    { title: "step", width: "5rem", number: true, show: r => String(r.id + 1), key: r => r.id },
    { title: "does", width: "minmax(8rem, 2fr)", show: r => stepLabel(r.id), key: r => r.id },
    { title: "writes", width: "6rem", show: r => { const v = written(r.id); return v < 0 ? "" : model.values[v][0]; } },
    { title: "bytes", width: "7rem", number: true, show: r => { const v = written(r.id); return v < 0 ? "" : bytes(model.values[v][3]); } },
  ], row => { const at = plan.steps[2 * row.id], v = at === FREE || at === OFFLOAD ? plan.steps[2 * row.id + 1] : written(row.id); if (v >= 0) select(v, row.id); });

  /** One value, found in the picture, the table, the graph and the schedule. */
  function select(value, step = -1) {
    if (!model || !plan) return;
    selected = value;
    memory.select(value);
    table.choose(value);
    graph.select(value);
    const touching = [];
    for (let t = 0; t < plan.steps.length / 2; t++) {
      const kind = plan.steps[2 * t], at = plan.steps[2 * t + 1];
      if (kind === COMPUTE ? model.nodes[at][4].includes(value) || model.nodes[at][3].includes(value) : at === value) touching.push(t);
    }
    schedule.choose(step >= 0 ? step : touching.find(t => written(t) === value) ?? touching[0] ?? -1, touching);
    clearTimeout(asked);
    const { query: of, budget: at } = plan, its = model;
    asked = setTimeout(() => why.show(of, at, its, value), plan.shown === value ? 150 : 0);
    plan.shown = value;
  }

  /** What became of each value, counted from the steps of the plan. */
  function judge() {
    const times = new Int32Array(model.values.length), crossing = new Uint8Array(model.values.length);
    fates = new Array(model.values.length).fill("freed");
    model.nodes.forEach(node => { if (node[2]) node[3].forEach(v => { const maker = model.values[v][5]; if (maker >= 0 && !model.nodes[maker][2]) crossing[v] = 1; }); });
    plan.turn = 0;
    for (let t = 0; t < plan.steps.length / 2; t++) {
      const kind = plan.steps[2 * t], at = plan.steps[2 * t + 1];
      if (kind === COMPUTE) { model.nodes[at][4].forEach(v => times[v]++); if (!plan.turn && model.nodes[at][2]) plan.turn = t; }
      else if (kind === REBUILD) fates[at] = "rebuilt";
      else if (kind === FETCH) fates[at] = "moved";
    }
    for (let v = 0; v < fates.length; v++) if (fates[v] === "freed") fates[v] = times[v] > 1 ? "again" : model.values[v][5] < 0 ? "held" : crossing[v] ? "kept" : "freed";
  }

  function showBudget() { if (document.activeElement !== $("budget")) $("budget").value = bytes(budget); }

  function figures(lines, waiting) {
    const all = lines || [["budget", bytes(budget)]];
    const rows = [];
    for (const [name, text] of all) rows.push(el("dt", {}, name), el("dd", { "data-line": name }, text));
    if (!all.some(l => l[0] === "least budget")) rows.push(el("dt", {}, "least budget"), el("dd", { class: "pending" }, "not ready yet"));
    if (waiting) rows.push(el("dt", {}, "plan"), el("dd", { class: "pending", id: "waiting" }, waiting));
    $("figures").replaceChildren(...rows);
  }

  /** Tells who does not see the page what a plan comes to. */
  function say(lines) {
    const told = Object.fromEntries(lines);
    $("said").textContent = "Budget " + bytes(budget) + ": " + ["promised", "peak", "time", "cost"].filter(n => told[n]).map(n => n + " " + told[n]).join(", ");
  }

  /** The graph that plans are of: where states may be moved, some plans have one of their own. */
  function adopt(next) {
    if (model === next) return;
    model = next;
    selected = -1;
    const where = n => n < 0 ? "given" : model.regions[model.nodes[n][1]] + (model.nodes[n][2] ? ", backward" : ", forward");
    table.rows(model.values.map(([name, what, type, size, , node], id) => ({ id, name, what, type, bytes: size, where: where(node) })).sort((a, b) => b.bytes - a.bytes || a.id - b.id));
    graph.load(model);
  }

  function show(next) {
    plan = next;
    plan.query = query;
    adopt(plan.model || traced);
    plan.shown = selected;
    judge();
    memory.update(plan, model.values, Math.max(traced.storeAll, plan.promised));
    figures(plan.lines);
    $("figures").dataset.budget = plan.budget;
    $("command").textContent = plan.command;
    table.redraw();
    graph.redraw();
    schedule.rows(Array.from({ length: plan.steps.length / 2 }, (_, id) => ({ id })));
    select(selected >= 0 ? selected : written(plan.highest));
    document.documentElement.dataset.plan = String(plan.budget);
  }

  /** Asks for the plan at the budget at hand; what is asked for later wins. */
  async function follow() {
    if (!model) return;
    const mine = generation;
    if (asking) asking.abort();
    const abort = asking = new AbortController(), wanted = budget;
    try {
      while (mine === generation && wanted === budget) {
        const answer = await ask("plan", { ...query, budget: wanted }, abort.signal);
        if (mine !== generation || wanted !== budget) return;
        if (answer.state === "ready") { show(answer); $("memory").classList.remove("behind"); status(""); say(answer.lines); return; }
        if (answer.state === "refused") { $("memory").classList.remove("behind"); figures([["budget", bytes(wanted)]], answer.why); status(""); return; }
        if (answer.state === "near" && (!plan || plan.budget !== answer.plan.budget)) show(answer.plan);
        if (answer.state === "near") figures(plan.lines, "not ready for " + bytes(wanted) + "; shown: that for " + bytes(plan.budget));
        else figures(null, "being planned…");
        $("memory").classList.toggle("behind", answer.state === "near");
        await pause(60);
      }
    } catch (e) { if (e.name !== "AbortError") status(e.message, true); }
  }

  /** The plan that keeps everything is ready at once: the picture shows it behind the others. */
  async function keepingAll(mine) {
    while (mine === generation) {
      const answer = await ask("plan", { ...query, budget: traced.storeAll });
      if (answer.state === "near") { await pause(40); continue; }
      if (mine !== generation) return;
      if (answer.state === "ready") { memory.behind(answer, (answer.model || traced).values, traced.storeAll); return; }
      if (answer.state === "refused") return;
      await pause(40);
    }
  }

  async function watchCurve(mine) {
    let had = false;
    while (mine === generation) {
      const next = await ask("curve", query);
      if (mine !== generation) return;
      curve = next;
      chart.update(curve, budget);
      $("curve-note").textContent = curve.done ? "Drag along the curve, or use the arrow keys on its handle. Each corner is a plan."
        : "The curve is being searched, " + curve.points.length + " points so far…";
      if (curve.least && !had) { had = true; if (budget < curve.least) { budget = curve.least; showBudget(); } follow(); }
      if (curve.done) { document.documentElement.dataset.curve = "done"; return; }
      await pause(350);
    }
  }

  async function load() {
    const mine = ++generation;
    query = Object.fromEntries(new FormData(form).entries());
    delete document.documentElement.dataset.curve;
    status("tracing the model…");
    $("figures").replaceChildren(el("dt", {}, "plan"), el("dd", { class: "pending" }, "not ready yet"));
    try {
      let answer = await ask("model", query);
      while (answer.state === "pending" && mine === generation) { await pause(40); answer = await ask("model", query); }
      if (mine !== generation) return;
      const first = model === null;
      plan = null;
      schedule.rows([]);
      clearTimeout(asked);
      why.clear();
      memory.clear();
      adopt(traced = answer);
      budget = Math.min(traced.storeAll, first ? START : Math.max(1, budget));
      if (!first || START >= traced.storeAll) budget = Math.round(traced.storeAll * 0.7);
      showBudget();
      await keepingAll(mine);
      if (mine !== generation) return;
      follow();
      watchCurve(mine).catch(e => status(e.message, true));
    } catch (e) { if (mine === generation) status(e.message, true); }
  }

  let checkpoints = null;
  /** Of a bare graph nothing but its file counts; a checkpoint has sizes of its own. */
  function chosen(field) {
    const { graph, from, model, batch, context } = form.elements;
    for (const other of form.elements) if (other !== graph) other.disabled = graph.value !== "";
    if (from.value) model.disabled = true;
    if (field !== from) return;
    const run = checkpoints.find(c => c.file === from.value) || {};
    batch.value = run.batch ?? "";
    context.value = run.context ?? "";
  }
  form.addEventListener("change", e => { chosen(e.target); load(); });

  /** The checkpoints there are now; the one that is chosen stays so. */
  async function choose(file) {
    const found = await ask("choices"), { from } = form.elements;
    checkpoints = found.checkpoints;
    const kept = file ?? from.value;
    from.replaceChildren(el("option", { value: "" }, "none"), ...checkpoints.map(c => el("option", { value: c.file }, c.name + (c.step == null ? "" : ", step " + c.step))));
    from.value = checkpoints.some(c => c.file === kept) ? kept : "";
    return found;
  }
  form.addEventListener("submit", e => e.preventDefault());
  $("budget").addEventListener("change", () => {
    const b = parseBytes($("budget").value, traced ? traced.storeAll : 0);
    if (!(b > 0)) { status("'" + $("budget").value + "' is not a budget; write 64MiB or 50%", true); return; }
    budget = b;
    if (curve) chart.update(curve, budget);
    follow();
  });

  const tabs = ["values", "graph", "schedule"];
  const open = name => tabs.forEach(t => { const on = t === name; $(t).hidden = !on; $("show-" + t).setAttribute("aria-selected", on); $("show-" + t).tabIndex = on ? 0 : -1; if (on && selected >= 0) select(selected); else if (on) { table.redraw(); graph.redraw(); schedule.redraw(); } });
  tabs.forEach((t, i) => {
    $("show-" + t).addEventListener("click", () => open(t));
    $("show-" + t).addEventListener("keydown", e => { const jump = { ArrowRight: 1, ArrowLeft: -1 }[e.key]; if (jump) { const next = tabs[(i + jump + tabs.length) % tabs.length]; open(next); $("show-" + next).focus(); } });
  });
  showBudget();
  choose().then(found => {
    form.elements.model.value = found.model;
    found.devices.forEach(d => $("device").append(el("option", { value: d.name, disabled: d.missing != null, title: d.text || d.missing }, d.name)));
    found.graphs.forEach(name => $("graphs").append(el("option", { value: name }, name)));
    return load();
  }).catch(e => status(e.message, true));
  return {
    open() { if (checkpoints) choose().catch(e => status(e.message, true)); },
    /** Plans for the model of a checkpoint. */
    async from(file) {
      try { form.elements.graph.value = ""; await choose(file); chosen(form.elements.from); load(); } catch (e) { status(e.message, true); }
    },
  };
}
