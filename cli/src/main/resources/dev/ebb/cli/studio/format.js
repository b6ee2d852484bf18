// Texts, elements and requests: what every other module needs.

/** Bytes as the command line shows them. */
export function bytes(b) {
  if (b == null) return "";
  if (b < 1024) return b + " B";
  if (b < 1048576) return (b / 1024).toFixed(1) + " KiB";
  if (b < 1073741824) return (b / 1048576).toFixed(1) + " MiB";
  return (b / 1073741824).toFixed(2) + " GiB";
}

export const count = n => Math.round(n).toLocaleString("en");

/** A budget as people write it, in bytes; NaN if it is none. */
export function parseBytes(text, storeAll) {
  const m = /^\s*([\d.]+)\s*(b|kib|mib|gib|%)?\s*$/i.exec(text);
  if (!m) return NaN;
  const unit = (m[2] || "b").toLowerCase();
  if (unit === "%") return Math.floor(storeAll * Number(m[1]) / 100);
  return Math.floor(Number(m[1]) * { b: 1, kib: 1024, mib: 1048576, gib: 1073741824 }[unit]);
}

/** An element with attributes and children; texts are texts, never markup. */
export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value == null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter(c => c != null));
  return element;
}

export const color = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();

/** A swatch of a colour variable; colours are set by script, as the page's policy asks. */
export function swatch(name, tag = "i", cls = null) {
  const e = el(tag, cls ? { class: cls } : {});
  e.style.background = `var(--${name})`;
  return e;
}

async function answered(response) {
  const json = await response.json().catch(() => ({ error: "the studio's answer cannot be read" }));
  if (!response.ok) throw new Error(json.error || "the studio refused: " + response.status);
  return json;
}

export async function ask(what, query, signal) {
  const given = Object.entries(query || {}).filter(([, v]) => v != null && v !== "");
  return answered(await fetch("/api/" + what + "?" + new URLSearchParams(given), { signal }));
}

export async function command(what, body) {
  return answered(await fetch("/api/" + what, { method: "POST", body: JSON.stringify(body) }));
}

export const pause = ms => new Promise(done => setTimeout(done, ms));

/** Says something in the header. */
export function status(text, error = false) {
  const place = document.getElementById("status");
  if (!place) return;
  place.textContent = text;
  place.classList.toggle("error", error);
}

/** Calls once a frame at most. */
export function onceAFrame(draw) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => { asked = false; draw(); });
  };
}

/** Redraws when an element's size or the colours change. */
export function whenResized(host, draw) {
  const soon = onceAFrame(draw);
  new ResizeObserver(soon).observe(host);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", soon);
  matchMedia("print").addEventListener("change", draw); // on paper no frame follows
  return soon;
}
