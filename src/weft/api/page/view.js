// Building what is seen. Text from documents and models enters as text nodes, never as markup.
import { harmless } from "./reader/marks.js";
import { t } from "./texts.js";

const SVG = "http://www.w3.org/2000/svg";
export const byId = (id) => document.getElementById(id);

/**
 * Return an element with attributes (`on` holds listeners, `say` a text's key) and children. A text among
 * them loses what would turn the order of the letters round it; a text node stays as it is.
 */
export function h(name, known = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(known)) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "on") for (const [event, act] of Object.entries(value)) made.addEventListener(event, act);
    else if (key === "say") say(made, ...[value].flat());
    else if (key === "label") label(made, ...[value].flat());
    else made.setAttribute(key, value === true ? "" : String(value));
  }
  const shown = children.filter((child) => child !== null && child !== undefined);
  made.append(...shown.map((child) => (typeof child === "string" ? harmless(child) : child)));
  return made;
}

/** Return one of the icons in index.html. */
export function icon(name) {
  const drawn = document.createElementNS(SVG, "svg");
  drawn.setAttribute("class", "icon");
  drawn.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#i-${name}`);
  drawn.append(use);
  return drawn;
}

/** Give an element a text of the table; it follows when the language changes. */
export function say(element, key, values = {}) {
  element.dataset.text = key;
  element.dataset.values = JSON.stringify(values);
  element.textContent = harmless(t(key, values));
}

/** Give an element its accessible name and tooltip from the table. */
export function label(element, key, values = {}) {
  element.dataset.label = key;
  element.dataset.values = JSON.stringify(values);
  show(element);
}

/** Write every text of a part of the page in the current language. */
export function translate(root = document) {
  for (const element of root.querySelectorAll("[data-text],[data-label],[data-placeholder]")) show(element);
}

function show(element) {
  const { text, label: named, placeholder, values } = element.dataset;
  const known = values ? JSON.parse(values) : {};
  if (text) element.textContent = harmless(t(text, known));
  if (placeholder) element.placeholder = t(placeholder, known);
  if (!named) return;
  const name = harmless(t(named, known));
  element.setAttribute("aria-label", name);
  if (element.tagName === "BUTTON") element.title = name;
}

/** Tell something to whoever listens to the page instead of looking at it. */
export function announce(key, values) {
  say(byId("news"), key, values);
}

/** Say something below the field of the question; no key: nothing is to be said. */
export function noteBelow(key, values) {
  byId("ask-note").hidden = !key;
  if (key) say(byId("ask-note"), key, values);
}

/** Remember a choice in this browser, where it lets us. */
export function remember(key, value) {
  try {
    localStorage.setItem(`weft.${key}`, value);
  } catch {
    // Private windows may refuse; the choice then lasts as long as the page.
  }
}

/** Return a choice that was remembered, or an empty text. */
export function remembered(key) {
  try {
    return localStorage.getItem(`weft.${key}`) ?? "";
  } catch {
    return "";
  }
}

/** Let go of all that is remembered of a person, in this tab alone or everywhere; how the page looks stays. */
export function forgetPerson({ everywhere = true } = {}) {
  const looks = new Set(["weft.language", "weft.theme"]);
  for (const store of [() => sessionStorage, ...(everywhere ? [() => localStorage] : [])]) {
    try {
      const held = store();
      Object.keys(held).filter((key) => key.startsWith("weft.") && !looks.has(key)).forEach((key) => held.removeItem(key));
    } catch {
      // As above: nothing was kept then.
    }
  }
}

/** Keep a value as long as this tab is open. */
export function keep(key, value) {
  try {
    sessionStorage.setItem(`weft.${key}`, value);
  } catch {
    // As above.
  }
}

/** Return what this tab kept, or null. */
export function kept(key) {
  try {
    return sessionStorage.getItem(`weft.${key}`);
  } catch {
    return null;
  }
}
