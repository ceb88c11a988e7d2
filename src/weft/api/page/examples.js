// Questions to begin with, made from what the chosen knowledge bases say.
import { call } from "./api.js";
import { has, spoken } from "./texts.js";
import { byId, h } from "./view.js";

const BASES = 2;
const LISTED = 50;
const OPENED = 4;
const SHOWN = 3;
const LONGEST = 40;

/** Show questions that the documents can answer; `ask` takes the one that is chosen. */
export async function offerExamples(bases, ask) {
  const list = byId("examples");
  list.replaceChildren();
  const able = bases.filter((each) => each.documents && each.readiness !== "blocked").slice(0, BASES);
  const found = await Promise.all(able.map((base) => questionsOf(base.name)));
  const best = [...new Map(inTurn(found).map((each) => [each.name, each])).values()].slice(0, SHOWN);
  list.replaceChildren(...best.map((each) => card(each, ask)));
}

/** Return the items of several lists, one of each in turn. */
function inTurn(lists) {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, at) => lists.map((list) => list[at])).flat().filter(Boolean);
}

async function questionsOf(base) {
  const path = `v1/kb/${encodeURIComponent(base)}/documents`;
  const { items } = await call(`${path}?limit=${LISTED}`);
  items.sort((one, other) => distance(one.title) - distance(other.title));
  const opened = await Promise.all(items.slice(0, OPENED).map((each) => call(`${path}/${each.id.split("/").map(encodeURIComponent).join("/")}`)));
  const said = opened.flatMap(asked);
  const titles = items.filter((each) => each.title).map((each) => ({ key: "ask_about", name: each.title, values: { title: each.title } }));
  return [...said, ...titles];
}

/** Return how far a title is from what a reader would ask about: plain words of the page's language. */
function distance(title) {
  if (!title || /\.\w{1,5}$/.test(title)) return 4;
  const isForeign = /[가-힣]/.test(title) !== (spoken() === "ko");
  const isPlain = /^[\p{L} '’-]+$/u.test(title) && title.includes(" ");
  return (isForeign ? 2 : 0) + (isPlain ? 0 : 1);
}

function asked({ claims, text }) {
  const known = claims.filter(({ predicate, subject }) => has(`ask_${predicate}`) && subject.length < LONGEST);
  return known.slice(0, 1).map(({ predicate, subject }) => {
    const name = asWritten(subject, text);
    return { key: `ask_${predicate}`, name, values: { name } };
  });
}

/** Return a name as the text writes it: claims keep names in lower case. */
function asWritten(name, text) {
  const plain = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return text.match(new RegExp(plain, "iu"))?.[0] ?? name;
}

function card({ key, values }, ask) {
  const text = h("span", { say: [key, values] });
  return h("li", {}, h("button", { type: "button", class: "example", on: { click: () => ask(text.textContent) } }, text));
}
