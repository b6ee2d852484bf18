// Runs: start, stop, resume, watch, compare.
import { ask, bytes, command, count, el, status, swatch } from "./format.js";
import { lineChart } from "./linechart.js";

const $ = id => document.getElementById(id);
const MOST = 2048, COLORS = ["series-0", "series-1", "series-2", "series-3", "series-4", "series-5"];

/** Adds a point; where there are too many, every other one goes. */
function add(points, x, y) {
  if (points.length && points.at(-1)[0] >= x) return;
  points.push([x, y]);
  if (points.length > MOST) points.splice(0, points.length, ...points.filter((_, i) => i % 2 === 0));
}

/** onPlan is told the file of a checkpoint that is to be planned for. */
export function runsView(onPlan) {
  const chart = lineChart($("loss"), "Loss");
  let list = [], chosen = null, shown = null, beside = new Map(), events = null, unread = false, choices = 0;

  async function refresh() {
    const found = await ask("runs");
    list = found.runs;
    const kept = $("texts").value;
    $("texts").replaceChildren(el("option", { value: "" }, "Ebb's own sources"), ...found.texts.map(t => el("option", { value: t }, t)));
    $("texts").value = found.texts.includes(kept) ? kept : "";
    const { checkpoints } = await ask("choices"), from = $("begin-from"), had = from.value;
    from.replaceChildren(el("option", { value: "" }, "new weights"), ...checkpoints.map(c => el("option", { value: c.file }, c.name)));
    from.value = checkpoints.some(c => c.file === had) ? had : "";
    drawList();
    const names = new Set(list.map(r => r.name)), field = $("start").elements.name;
    if (names.has(field.value)) { let n = 1; while (names.has("run-" + n)) n++; field.value = "run-" + n; }
  }

  function drawList() {
    $("run-list").replaceChildren(...(list.length ? list.map(run => {
      const compare = el("input", { type: "checkbox", "aria-label": "compare " + run.name, title: "compare", checked: beside.has(run.name), onchange: e => toggle(run.name, e.target.checked) });
      const note = run.state === "unreadable" ? run.said : [run.state === "stored" ? "" : run.state, (run.step ?? 0) + (run.steps ? " of " + run.steps : "") + " steps", run.loss == null ? "" : "loss " + run.loss.toFixed(3), run.budgetText || ""].filter(t => t).join(", ");
      return el("div", { class: "runrow" + (run.name === chosen ? " chosen" : "") }, compare, el("button", { type: "button", "aria-current": run.name === chosen ? "true" : null, onclick: () => choose(run.name) }, el("b", {}, run.name)), beside.has(run.name) ? swatch(beside.get(run.name).color, "span", "dot") : null, el("span", { class: "note" }, note));
    }) : [el("p", { class: "note" }, "None yet. What 'ebb train' leaves in this folder is listed too.")]));
  }

  async function choose(name) {
    const mine = ++choices;
    chosen = name;
    if (events) events.close();
    events = null;
    try {
      const found = await ask("run", { name });
      if (mine !== choices) return;
      shown = found;
      if (shown.live && shown.before) shown.losses = shown.before.concat(shown.losses.filter(p => !shown.before.length || p[0] > shown.before.at(-1)[0]));
      draw();
      drawList();
      if (shown.live) listen(name);
    } catch (e) { status(e.message, true); }
  }

  function listen(name) {
    const source = events = new EventSource("/api/events?" + new URLSearchParams({ name }));
    source.onmessage = e => {
      if (source !== events) { source.close(); return; }
      const news = JSON.parse(e.data);
      const over = ["stopped", "finished", "failed"].includes(news.state);
      const { losses, heldOuts } = shown;
      if (news.heldOut != null && news.heldOut !== shown.heldOut) add(heldOuts, news.step, news.heldOut);
      shown = { ...shown, ...news, losses, heldOuts, live: !over };
      if (news.step != null && news.loss != null) add(losses, news.step, news.loss);
      if (!unread) { unread = true; requestAnimationFrame(() => { unread = false; draw(); }); }
      if (over) { source.close(); events = null; refresh().then(() => choose(name)); }
    };
    source.onerror = () => { if (source === events && source.readyState === EventSource.CLOSED) { events = null; choose(name); } };
  }

  async function act(what, body) {
    try { await command(what, body); status(""); await refresh(); await choose(body.name); } catch (e) { status(e.message, true); }
  }

  function draw() {
    const run = shown;
    $("h-run").textContent = run.name;
    const button = (text, on, main) => el("button", { type: "button", class: main ? "main" : null, onclick: on }, text);
    const actions = [];
    if (run.live) actions.push(Object.assign(button("Stop", () => act("stop", { name: run.name }), true), { id: "stop", disabled: run.state === "stopping" }));
    else {
      actions.push(Object.assign(button("Resume", () => act("resume", { name: run.name })), { id: "resume", disabled: !!run.steps && run.step >= run.steps }));
      if (run.report) actions.push(el("a", { href: "/report/" + encodeURIComponent(run.name), target: "_blank", rel: "noopener" }, "Report"));
    }
    if (run.step) actions.push(Object.assign(button("Write a sample", sample), { id: "write" }), Object.assign(button("Plan it", () => onPlan(run.name + "/checkpoint.safetensors")), { id: "plan-it" }));
    $("run-actions").replaceChildren(...actions);
    const tiles = [["state", run.state], ["step", (run.step ?? 0) + (run.steps ? " / " + run.steps : "")], ["loss", run.loss == null ? "none yet" : run.loss.toFixed(4)],
      ["held-out loss", run.heldOut == null ? (run.live ? "none yet" : "") : run.heldOut.toFixed(4)], ["speed", run.speed == null ? "" : count(run.speed) + " tokens/s"],
      ["memory promised", run.promised == null ? "" : bytes(run.promised)], ["memory measured", run.measured == null ? "" : bytes(run.measured)], ["budget", run.budget == null ? run.budgetText || "" : bytes(run.budget)]];
    const rows = tiles.filter(t => t[1] !== "").map(([k, v]) => el("div", {}, el("dt", {}, k), el("dd", { "data-figure": k }, v)));
    if (run.digest) rows.push(el("div", {}, el("dt", {}, "weights' digest"), el("dd", { class: "mono", id: "digest", title: run.digest, "data-digest": run.digest }, run.digest.slice(0, 12) + "…")));
    $("run-figures").replaceChildren(...rows);
    drawChart();
    const more = [];
    if (run.command) more.push(el("p", { class: "command" }, run.command));
    if (beside.size) more.push(el("div", { id: "compared" }, ...compared()));
    if (run.text) more.push(el("h3", {}, "A sample"), el("pre", {}, run.text));
    if (run.kernels && run.kernels.length) more.push(el("h3", {}, "Kernels by time"), el("table", {}, el("caption", {}, "The latest step, kernel by kernel"), el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "op"), el("th", { scope: "col", class: "n" }, "calls"), el("th", { scope: "col", class: "n" }, "ms"))),
      el("tbody", {}, ...run.kernels.map(k => el("tr", {}, el("td", {}, k[0]), el("td", { class: "n" }, String(k[1])), el("td", { class: "n" }, k[2].toFixed(2)))))));
    if (run.said) more.push(el("h3", {}, "What it said"), el("pre", {}, run.said));
    $("run-more").replaceChildren(...more);
    document.documentElement.dataset.run = run.name + " " + run.state;
  }

  function drawChart() {
    const series = [{ name: shown.name, color: COLORS[0], points: shown.losses || [] }];
    if (shown.heldOuts && shown.heldOuts.length) series.push({ name: "held out", color: COLORS[1], points: shown.heldOuts, dots: true });
    for (const [name, run] of beside) if (name !== shown.name) series.push({ name, color: run.color, points: run.losses, dash: "5 3" });
    chart.update({ series, xTitle: "step", yTitle: "loss, nats a character", digits: 4 });
  }

  async function toggle(name, on) {
    if (!on) beside.delete(name);
    else try {
      const run = await ask("run", { name });
      const used = new Set([...beside.values()].map(r => r.color)), free = COLORS.slice(2).find(c => !used.has(c)) || COLORS[5];
      beside.set(name, { color: free, losses: run.losses || [], run, equal: null });
    } catch (e) { status(e.message, true); return; }
    if (!chosen) await choose(name);
    await Promise.all([...beside.keys()].filter(n => n !== chosen).map(async n => { try { beside.get(n).equal = await ask("compare", { a: chosen, b: n }); } catch { beside.get(n).equal = null; } }));
    draw();
    drawList();
  }

  /** The chosen run and those beside it, figure by figure, and how far their losses have the same bits. */
  function compared() {
    const others = [...beside].filter(([name]) => name !== shown.name);
    if (!others.length) return [];
    const figures = [["budget", r => r.budgetText || (r.budget ? bytes(r.budget) : "")], ["memory promised", r => r.promised == null ? "" : bytes(r.promised)], ["memory measured", r => r.measured == null ? "" : bytes(r.measured)],
      ["computed again", r => r.again == null ? "" : (100 * r.again).toFixed(1) + " % of the time"], ["speed", r => r.speed == null ? "" : count(r.speed) + " tokens/s"], ["steps", r => String(r.step ?? "")], ["loss", r => r.loss == null ? "" : r.loss.toFixed(4)], ["held-out loss", r => r.heldOut == null ? "" : r.heldOut.toFixed(4)]];
    const runs = [[COLORS[0], shown], ...others.map(([, { color, run }]) => [color, run])];
    const mark = equal => !equal ? "" : !equal.of ? "no step to compare" : equal.same === equal.of ? el("span", { class: "badge" }, "same bits in all " + equal.of + " steps") : el("span", { class: "badge warn" }, "bits differ from step " + (equal.same + 1) + " on");
    const rows = figures.map(([name, show]) => [name, runs.map(([, r]) => show(r))]).filter(([, cells]) => cells.some(c => c !== ""));
    return [el("h3", {}, "Side by side"), el("table", {}, el("caption", {}, "Runs beside " + shown.name + "; equal bits are found by comparing every loss"),
      el("thead", {}, el("tr", {}, el("td"), ...runs.map(([color, r]) => el("th", { scope: "col", class: "n" }, swatch(color, "span", "dot"), r.name)))),
      el("tbody", {}, ...rows.map(([name, cells]) => el("tr", {}, el("th", { scope: "row" }, name), ...cells.map(c => el("td", { class: "n" }, c)))),
        el("tr", {}, el("th", { scope: "row" }, "losses"), el("td", { class: "n" }, "compared with"), ...others.map(([, { equal }]) => el("td", { class: "n" }, mark(equal))))))];
  }

  async function sample() {
    const name = chosen;
    status("the model writes…");
    try { const found = await command("sample", { name }); if (chosen === name) { shown.text = found.text; draw(); } status(""); } catch (e) { status(e.message, true); }
  }

  $("begin-from").addEventListener("change", e => { $("start").elements.model.disabled = e.target.value !== ""; });
  $("start").addEventListener("submit", e => {
    e.preventDefault();
    const body = Object.fromEntries([...new FormData(e.target).entries()].filter(([, v]) => v !== ""));
    act("start", body);
  });
  return { open() { refresh().then(() => { const first = list.find(r => r.live) || list.find(r => r.state !== "unreadable"); if (!chosen && first) choose(first.name); }).catch(e => status(e.message, true)); } };
}
