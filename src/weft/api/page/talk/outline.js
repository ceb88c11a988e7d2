// Research under way: its outline, how each section stands, what was spent, stop, and more to spend.
import { call } from "../api.js";
import { faultText } from "../fault.js";
import { harmless } from "../reader/marks.js";
import { announce, h, icon, say } from "../view.js";
import { budgetMeter, doubled } from "./budget.js";

const SECTION = /^investigate\/s(\d+)(?:\/(\w+))?$/;
const COUNTED = ["tool_calls", "tokens", "iterations", "money"];
const TICK_MS = 1000;
const MS = 1000;

/**
 * Return {element, take(event)} of a run that may spend `budget`; `take` hears of its events in turn,
 * `stop` ends the run, `raised` is told the budget that it was raised to.
 */
export function outlineView({ run, budget, stop, raised }) {
  const known = { spent: {}, budget, asked: budget, began: null, run, raised };
  const meter = budgetMeter();
  const doing = h("p", { class: "now-doing", say: "working" });
  const list = h("ol", { class: "outline", label: "research_outline" });
  const bones = h("div", { class: "bones", "aria-hidden": "true" }, h("i"), h("i"), h("i"));
  const show = () => meter.show(known.spent, known.budget);
  const element = h("section", { class: "research-run", label: "research_run" }, doing, bones, list, meter.element, steering(known, { stop, show }));
  const sections = [];
  show();
  const timer = setInterval(() => {
    if (element.isConnected) tick(known, show);
    else clearInterval(timer);
  }, TICK_MS);
  const take = (event) => {
    const place = SECTION.exec(event.node);
    if (event.type === "run_started") known.began = Math.min(Date.now(), Date.parse(event.ts));
    else if (event.type === "budget_updated") spend(known, event.data, show);
    else if (place) {
      of(sections, place, list).take(event, place[2]);
      tellQuestions(sections);
    } else if (event.type === "node_started") say(doing, `step_${event.node}`);
    else if (event.type === "node_finished" && event.data.outline) {
      bones.remove();
      sections.push(...event.data.outline.map(sectionRow));
      list.replaceChildren(...sections.map((each) => each.element));
      announce("research_outlined", { count: sections.length });
    }
  };
  return { element, take };
}

/** Show what the sections ask, where they do not all ask the same. */
function tellQuestions(sections) {
  const asked = new Set(sections.map((each) => each.question.textContent).filter(Boolean));
  for (const { question, name } of sections) question.hidden = asked.size < 2 || question.textContent === name.textContent;
}

/** Return the section that an event is of, made where the outline did not tell of it. */
function of(sections, place, list) {
  const at = Number(place[1]) - 1;
  while (sections.length <= at) {
    sections.push(sectionRow(""));
    list.append(sections.at(-1).element);
  }
  return sections[at];
}

function sectionRow(title) {
  const name = h("span", { class: "section-name" }, title);
  const question = h("p", { class: "hint section-question", hidden: true });
  const found = h("span", { class: "section-found" });
  const standing = h("span", { class: "standing waiting", say: "section_waiting" });
  const element = h("li", { class: "section-row" }, h("div", { class: "section-line" }, name, found, standing), question);
  let count = 0;
  const stands = (how) => {
    say(standing, `section_${how}`);
    standing.className = `standing ${how}`;
  };
  const take = ({ type, data }, step) => {
    if (step === "agents" && type === "node_finished") {
      count += data.findings ?? 0;
      say(found, "section_found", { count });
    }
    if (step) return;
    if (type === "node_started") {
      if (data.section) name.textContent = harmless(data.section);
      question.textContent = harmless(data.key_question ?? "");
      stands("looking");
    } else if (type === "node_finished") stands("done");
    else if (type === "node_failed") stands(data.status === "short" ? "short" : "failed");
  };
  return { element, take, name, question };
}

function steering(known, { stop, show }) {
  const said = h("p", { class: "hint", role: "status" });
  const more = h("button", { type: "button", class: "quiet small more-budget" }, icon("plus"), h("span", { say: "budget_more" }));
  more.addEventListener("click", async () => {
    more.disabled = true;
    try {
      await call(`v1/runs/${encodeURIComponent(known.run)}/budget`, { method: "POST", body: known.asked });
      known.budget = Object.fromEntries(Object.entries(known.budget).map(([part, most]) => [part, most + known.asked[part]]));
      known.raised(known.budget);
      show();
      say(said, "budget_given");
    } catch (error) {
      say(said, ...faultText(error));
    }
    more.disabled = false;
  });
  const end = h("button", { type: "button", class: "quiet small stop-run", on: { click: stop } }, icon("stop"), h("span", { say: "stop" }));
  return h("div", { class: "steering" }, end, more, said);
}

function spend(known, data, show) {
  for (const part of COUNTED) known.spent[part] = (known.spent[part] ?? 0) + Number(data[part] ?? 0);
  show();
}

function tick(known, show) {
  if (known.began === null) return;
  known.spent.time = Math.round((Date.now() - known.began) / MS);
  show();
}

/** Return what follows a report that was cut short: the same question with twice as much to spend. */
export function againWithMore(budget, part, ask) {
  const more = h("span", { say: "budget_again" });
  return h("button", { type: "button", class: "quiet small again-with-more", on: { click: () => ask(doubled(budget, part)) } }, icon("plus"), more);
}
