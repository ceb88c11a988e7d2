// What research may spend: chosen before it begins, raised while it goes on, drawn as a meter.
import { t } from "../texts.js";
import { h, remember, remembered, say } from "../view.js";

export const RESEARCH = "research";
/** What it may spend where nobody says; of money nothing is said then. */
export const USUAL = { tool_calls: 600, tokens: 1500000, iterations: 40, time: 900 };
const PARTS = ["tool_calls", "tokens", "iterations", "time", "money"];
// Money is counted in parts of a dollar, all else in whole numbers.
const STEPS = { money: "0.01" };

/** Return the budget that research begins with: what was chosen here, else the usual. */
export function wantedBudget() {
  return { ...USUAL, ...chosen() };
}

/** Return twice a budget; the part that was used up is more than nothing then. */
export function doubled(budget, usedUp) {
  const twice = Object.fromEntries(Object.entries(budget).map(([part, most]) => [part, most * 2]));
  return twice[usedUp] === 0 ? { ...twice, [usedUp]: USUAL[usedUp] ?? 1 } : twice;
}

/** Return the fields in which a budget is chosen. */
export function budgetFields(isShown) {
  const fields = PARTS.map((part) => {
    const field = h("input", { type: "number", name: `budget-${part}`, min: "0", step: STEPS[part] ?? "1", placeholder: USUAL[part] ?? "–", value: chosen()[part] });
    field.addEventListener("change", () => choose(part, field));
    return h("label", { class: "budget-field" }, h("span", { say: `budget_${part}` }), field);
  });
  return h("fieldset", { class: "budget", id: "budget", hidden: !isShown }, h("legend", { say: "budget_legend" }), ...fields);
}

/** Return a meter: {element, show(spent, budget)}; a part without a limit shows once it is spent. */
export function budgetMeter() {
  const element = h("ul", { class: "meter", label: "budget_meter", role: "list" });
  const rows = new Map(PARTS.map((part) => [part, meterRow(part)]));
  element.append(...[...rows.values()].map((row) => row.element));
  const show = (spent, budget) => rows.forEach((row, part) => row.show(spent[part] ?? 0, budget[part]));
  return { element, show };
}

function meterRow(part) {
  const amount = h("span", { class: "amount" });
  const bar = h("progress", { label: `budget_${part}`, max: "1", value: "0" });
  const element = h("li", { class: "meter-row", hidden: true }, h("span", { say: `budget_${part}` }), amount, bar);
  const show = (spent, most) => {
    const hasLimit = most !== undefined;
    element.hidden = !hasLimit && !spent;
    element.classList.toggle("spent", hasLimit && spent >= most);
    say(amount, hasLimit ? "budget_of" : "budget_spent", { spent, most: most ?? 0 });
    bar.hidden = !hasLimit;
    if (hasLimit) bar.value = most ? Math.min(1, spent / most) : 1;
    bar.setAttribute("aria-valuetext", t(amount.dataset.text, { spent, most: most ?? 0 }));
  };
  return { element, show };
}

function chosen() {
  let kept = {};
  try {
    kept = JSON.parse(remembered("budget") || "{}");
  } catch {
    // What cannot be read was not chosen here.
  }
  return Object.fromEntries(Object.entries(kept).filter(([part, most]) => PARTS.includes(part) && Number.isFinite(most) && most >= 0));
}

function choose(part, field) {
  const { [part]: _, ...others } = chosen();
  const isSaid = field.value !== "" && field.checkValidity();
  if (!isSaid) field.value = "";
  remember("budget", JSON.stringify(isSaid ? { ...others, [part]: Number(field.value) } : others));
}
