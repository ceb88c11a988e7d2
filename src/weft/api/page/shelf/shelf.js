// Knowledge bases: which to ask, and what they hold.
import { call, forgive } from "../api.js";
import { faultText } from "../fault.js";
import { harmless } from "../reader/marks.js";
import { budgetFields, RESEARCH } from "../talk/budget.js";
import { isOwn } from "../texts.js";
import { byId, h, icon, label, remember, remembered, say } from "../view.js";

let showDocuments = () => {};
let bases = [];
let agents = [];
let chosen = new Set(remembered("bases").split(" ").filter(Boolean));

/** Return the knowledge bases as last listed. */
export function listed() {
  return bases;
}

/** Return the names of the chosen knowledge bases; none means all. */
export function wanted() {
  const known = bases.map((base) => base.name).filter((name) => chosen.has(name));
  return known.length === bases.length ? [] : known;
}

/** Return the name of the agent that answers; empty for the default one. */
export function wantedAgent() {
  const name = remembered("agent");
  return agents.some((agent) => agent.name === name) ? name : "";
}

/** List the knowledge bases and the agents anew; that none can be listed is said in their place. */
export async function refresh() {
  try {
    return await list();
  } catch (error) {
    if (!bases.length) unlisted(error);
    throw error;
  }
}

function unlisted(error) {
  const again = h("button", { type: "button", class: "quiet small", on: { click: () => refresh().catch(forgive) } }, h("span", { say: "door_again" }));
  byId("bases").replaceChildren(h("div", { class: "fault", role: "alert" }, h("p", { say: "load_failed" }), h("p", { class: "hint", say: faultText(error) }), again));
}

async function list() {
  const found = [];
  let cursor = "";
  do {
    const page = await call(`v1/kb?limit=50${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
    found.push(...page.items);
    cursor = page.next;
  } while (cursor);
  bases = found;
  agents = (await call("agents")).agents;
  draw();
  return bases;
}

/** Return what a knowledge base is called: its folder, its title, or the name where it is unknown. */
export function baseName(name) {
  const known = bases.find((base) => base.name === name);
  return harmless(known ? titleOf(known) : name);
}

/** Open and close the list at its button; `act` shows the documents of the base that it is given. */
export function beginShelf(act) {
  showDocuments = act;
  const button = byId("pick");
  const sheet = byId("bases");
  const turn = (isOpen) => {
    sheet.hidden = !isOpen;
    button.setAttribute("aria-expanded", String(isOpen));
  };
  button.addEventListener("click", () => {
    turn(sheet.hidden);
    if (!sheet.hidden) sheet.querySelector("input")?.focus();
  });
  document.addEventListener("click", (event) => {
    // What was clicked may be gone from the page by now; then it was in the list.
    if (event.target.isConnected && !event.target.closest(".picker")) turn(false);
  });
  // Wherever the focus is, Escape closes what is on top, and nothing else at the same time.
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || sheet.hidden) return;
    event.stopPropagation();
    turn(false);
    button.focus();
  }, { capture: true });
  // A choice is drawn anew and goes nowhere then; only what takes the focus elsewhere closes the list.
  const picker = document.querySelector(".picker");
  picker.addEventListener("focusout", ({ relatedTarget }) => {
    if (relatedTarget && !picker.contains(relatedTarget)) turn(false);
  });
}

function draw() {
  name();
  const sheet = byId("bases");
  if (!bases.length) {
    sheet.replaceChildren(h("p", { class: "hint", say: "no_bases" }));
    return;
  }
  const all = option({ isOn: !wanted().length, act: () => choose(new Set()) }, h("span", { say: "all_bases" }), null);
  const rows = bases.map((base) => h("div", { class: "base" }, option({ isOn: chosen.has(base.name), act: () => flip(base.name), key: base.name }, titleOf(base), counts(base)), opener(base)));
  sheet.replaceChildren(h("fieldset", {}, h("legend", { say: "bases_legend" }), all, ...rows), ...agentChoice());
}

/** Return the choice of who answers, where there is one. */
function agentChoice() {
  if (agents.length < 2) return [];
  const budget = budgetFields(wantedAgent() === RESEARCH);
  const rows = agents.map((agent, place) => {
    const isOn = place ? wantedAgent() === agent.name : !wantedAgent();
    const act = () => {
      remember("agent", place ? agent.name : "");
      budget.hidden = agent.name !== RESEARCH;
    };
    const dot = h("input", { type: "radio", name: "agent", value: agent.name, checked: isOn, on: { change: act } });
    return h("label", { class: "option agent-option" }, dot, h("span", { class: "option-name" }, agent.name), note(agent));
  });
  return [h("fieldset", {}, h("legend", { say: "agents_legend" }), ...rows), budget];
}

/** Return what an agent does: of one that is ours in the reader's language. */
function note({ flow, summary }) {
  const key = `agent_${flow}`;
  return isOwn(key, summary) ? h("span", { class: "option-note", say: key }) : h("span", { class: "option-note" }, summary);
}

function opener(base) {
  const open = () => {
    byId("pick").focus();
    byId("pick").click();
    showDocuments(base.name);
  };
  const made = h("button", { type: "button", class: "quiet small", on: { click: open } }, icon("documents"));
  label(made, "documents_of", { base: titleOf(base) });
  return made;
}

function option({ isOn, act, key = "" }, title, note) {
  const box = h("input", { type: "checkbox", checked: isOn, "data-key": key, on: { change: act } });
  return h("label", { class: "option" }, box, h("span", { class: "option-name" }, title), note);
}

/** A folder's base is its path; the title that it was given by itself is only the folder's name. */
function titleOf({ title, folder, name: short }) {
  const isOwn = title && title !== short && title !== folder.split(/[/\\]/).at(-1);
  return isOwn ? title : folder || title || short;
}

function counts({ documents, readiness }) {
  if (readiness === "blocked") return h("span", { class: "badge", say: "base_blocked" });
  if (!documents) return h("span", { class: "option-note", say: "base_empty" });
  return h("span", { class: "option-note", say: ["base_counts", { documents }] });
}

function flip(key) {
  const next = new Set(wanted());
  if (!next.delete(key)) next.add(key);
  choose(next);
}

function choose(next) {
  const held = document.activeElement?.dataset?.key;
  chosen = next;
  remember("bases", [...next].join(" "));
  draw();
  [...byId("bases").querySelectorAll("input")].find((box) => box.dataset.key === held)?.focus();
}

function name() {
  const names = wanted();
  const picked = byId("picked");
  picked.title = names.length === 1 ? baseName(names[0]) : "";
  if (!names.length) say(picked, "all_bases");
  else if (names.length > 1) say(picked, "some_bases", { count: names.length });
  else {
    delete picked.dataset.text;
    picked.textContent = baseName(names[0]);
  }
}
