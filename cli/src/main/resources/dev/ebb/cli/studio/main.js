// The views and the way between them.
import { planView } from "./plan.js";
import { driversView } from "./drivers.js";
import { runsView } from "./runs.js";

const names = ["plan", "drivers", "runs"];
const plan = planView();
const views = { plan, drivers: driversView(), runs: runsView(file => { location.hash = "plan"; plan.from(file); }) };

function open() {
  const name = names.includes(location.hash.slice(1)) ? location.hash.slice(1) : "plan";
  for (const n of names) {
    document.getElementById(n).hidden = n !== name;
    const tab = document.getElementById("tab-" + n);
    if (n === name) tab.setAttribute("aria-current", "page"); else tab.removeAttribute("aria-current");
  }
  views[name].open();
  scrollTo(0, 0);
}
addEventListener("hashchange", open);
open();
document.documentElement.dataset.ready = "true";
