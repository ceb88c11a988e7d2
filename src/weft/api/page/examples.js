// Questions to begin with, made from what the chosen knowledge bases say.
import { call } from "./api.js";
import { has } from "./texts.js";
import { byId, h } from "./view.js";

const DOCUMENTS = 6;
const SHOWN = 3;
const LONGEST = 40;

/** Show questions that the documents can answer; `ask` takes the one that is chosen. */
export async function offerExamples(bases, ask) {
  const list = byId("examples");
  list.replaceChildren();
  const found = [];
  for (const base of bases.filter((each) => each.documents && each.readiness !== "blocked").slice(0, 2)) {
    found.push(...(await questionsOf(base.name)));
  }
  const best = [...new Map(found.map((each) => [each.name, each])).values()].slice(0, SHOWN);
  list.replaceChildren(...best.map((each) => card(each, ask)));
}

async function questionsOf(base) {
  const path = `v1/kb/${encodeURIComponent(base)}/documents`;
  const { items } = await call(`${path}?limit=${DOCUMENTS}`);
  const opened = await Promise.all(items.slice(0, SHOWN).map((each) => call(`${path}/${each.id.split("/").map(encodeURIComponent).join("/")}`)));
  const said = opened.flatMap(asked);
  const titles = items.filter((each) => each.title).map((each) => ({ key: "ask_about", name: each.title, values: { title: each.title } }));
  return [...said, ...titles];
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
