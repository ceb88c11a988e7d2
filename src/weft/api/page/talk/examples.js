// Questions to begin with, made by the service from what the chosen knowledge bases hold.
import { call } from "../api.js";
import { byId, h } from "../view.js";

const SHOWN = 3;

/** Show questions that the documents answer; `ask` takes the one that is chosen. */
export async function offerExamples(bases, ask) {
  const able = bases.filter((each) => each.documents && each.readiness !== "blocked");
  const list = byId("examples");
  if (!able.length) return list.replaceChildren();
  const wanted = able.map((each) => `kb=${encodeURIComponent(each.name)}`).join("&");
  const { items } = await call(`v1/suggestions?limit=${SHOWN}&${wanted}`);
  return list.replaceChildren(...items.map((each) => card(each, ask)));
}

function card({ question, title }, ask) {
  const from = h("span", { class: "example-from" }, title);
  return h("li", {}, h("button", { type: "button", class: "example", on: { click: () => ask(question) } }, h("span", { class: "example-text" }, question), from));
}
