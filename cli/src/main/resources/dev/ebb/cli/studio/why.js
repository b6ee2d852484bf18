// What happens to one value, why, and what else could be done with it.
import { ask, bytes, el } from "./format.js";

/** Shows values in host; ask for one with show(query, budget, model, value). */
export function whyPanel(host) {
  let latest = 0;
  return {
    clear() { latest++; delete host.dataset.value; host.replaceChildren(el("p", { class: "note" }, "Click a value in the picture, the table or the graph.")); },
    async show(query, budget, model, value) {
      const mine = ++latest, [name, what, type, size, , node] = model.values[value];
      const region = node < 0 ? "given" : model.regions[model.nodes[node][1]] + (model.nodes[node][2] ? ", backward" : ", forward");
      const title = [el("h3", { id: "why-name", "data-value": name }, name + "  " + what), el("p", { class: "note" }, type + ", " + bytes(size) + ", " + region)];
      const waiting = el("p", { class: "pending" }, "being looked up…");
      if (host.dataset.value !== name) host.replaceChildren(...title, waiting);
      host.dataset.value = name;
      let found;
      try { found = await ask("why", { ...query, budget, value }); } catch (e) { found = { error: e.message }; }
      if (mine !== latest) return;
      if (found.error) { host.replaceChildren(...title, el("p", { class: "note" }, found.error)); return; }
      const rows = found.choices.map(c => el("li", { class: c.chosen ? "chosen" : null },
        el("span", {}, (c.chosen ? "✓ " : "") + c.what), el("span", { class: "n" }, c.time), el("small", {}, c.memory)));
      host.replaceChildren(...title, el("p", { class: "way" }, found.way), el("p", { class: "note" }, found.reason),
        rows.length ? el("ul", { class: "choice-list", "aria-label": "What could be done with it, and for how much of the time" }, ...rows) : null);
    },
  };
}
