// The conversation: a question goes out, steps and sentences come in, one at a time.
import { call, forgive, isLost, reached, Refused, stream } from "../api.js";
import { faultText } from "../fault.js";
import { closeSide } from "../side.js";
import { announce, byId, h, noteBelow, say } from "../view.js";
import { answerView, keptView, sentenceView } from "./answer.js";
import { RESEARCH, wantedBudget } from "./budget.js";
import { begun, current, running as underWay, setCurrent, setRunning, settled } from "./current.js";
import { againWithMore, outlineView } from "./outline.js";
import { chipsView, pinsOf } from "./pins.js";
import { isReport, noteReport, withReport } from "./report.js";
import { ended, failure, loom } from "./standing.js";
import { named } from "./trace.js";

const LOOKS = 20;
const LOOK_MS = 300;
const UNDER_WAY = new Set(["queued", "running"]);
// Who answers a question as it is said to be meant; the name of the default one is empty.
const TAKES_MEANINGS = new Set(["", "rag", "router"]);
let running = null;
let waiting = null;
let wantedBases = () => [];
let wantedAgent = () => "";
let changed = () => {};
let count = 0;

/** Begin; `bases` tells which knowledge bases are chosen, `agent` who answers, `done` hears of turns. */
export function beginThread(bases, agent, done) {
  wantedBases = bases;
  wantedAgent = agent;
  changed = done;
  // A stream that breaks off because the page goes is no question that failed.
  addEventListener("pagehide", leave);
  addEventListener("pageshow", ({ persisted }) => persisted && openConversation(current()).catch(forgive));
}

/** Tell whether a question is being answered. */
export function isAsking() {
  return running !== null;
}

/**
 * Ask a question and show what comes of it; `by` may name the agent, its budget and what is meant. While
 * another one is being answered it waits for its turn, which is said below the field.
 */
export async function ask(question, by = {}) {
  if (!question.trim()) return;
  if (running) return wait({ question, by });
  const place = turn(question.trim());
  place.turn.scrollIntoView({ block: "start", behavior: calm() });
  await held(place, question.trim(), (mine) => listen(question.trim(), place, { mine, by }));
}

/** Let a question wait, in place of one that waited before; null: none does. */
function wait(next) {
  waiting = next;
  noteBelow(next && "asked_next", next && { text: next.question });
}

/** Show a turn as being answered while `work` goes on; what it raises is shown in words. */
async function held(place, question, work) {
  const mine = { stopper: new AbortController(), runId: null, conversation: current(), isLeft: false, budget: null, outline: null };
  running = mine;
  toggle(true);
  place.reply.replaceChildren(loom());
  announce("working");
  try {
    await work(mine);
  } catch (error) {
    if (error.name === "AbortError") {
      if (!mine.isLeft) place.reply.replaceChildren(ended("stopped", () => ask(question)));
    } else if (error.code === "cancelled") {
      // Another tab, or a service that was stopped, has ended it.
      place.reply.replaceChildren(ended("stopped_there", () => ask(question)));
      announce("stopped_there");
    } else {
      place.reply.replaceChildren(failure(error, () => ask(question)));
      announce("failed");
      // Whose session has ended finds the question in the field after signing in.
      if (error.status === 401) byId("question").value ||= question;
    }
  } finally {
    if (running === mine) {
      running = null;
      toggle(false);
    }
    if (!mine.isLeft) setRunning(mine.conversation, null);
    place.reply.removeAttribute("aria-busy");
    changed();
  }
  if (running || !waiting) return;
  const { question: next, by } = waiting;
  wait(null);
  await ask(next, by);
}

/** Stop the question that is being answered, here and at the service. */
export function stop() {
  if (!running) return false;
  const { stopper, runId } = running;
  wait(null);
  stopper.abort();
  if (runId) call(`v1/runs/${encodeURIComponent(runId)}/cancel`, { method: "POST" }).catch(forgive);
  announce("stopped");
  byId("question").focus();
  return true;
}

/** Turn away from the question that is being answered: it goes on at the service. */
function leave() {
  if (!running) return;
  wait(null);
  running.isLeft = true;
  running.stopper.abort();
  running = null;
  toggle(false);
}

async function listen(question, place, said) {
  const { mine } = said;
  try {
    return await heard(question, place, said);
  } catch (error) {
    // What the service has begun goes on there, whoever listens.
    if (isLost(error) && mine.runId) return again(place, mine, { isOfIt: (message) => message.run_id === mine.runId });
    if (error.status !== 404 || !(await isDeleted(said.mine.conversation))) throw error;
  }
  setRunning(said.mine.conversation, null);
  setCurrent("");
  // What was said before is erased at the service, and is no longer shown here either.
  byId("thread").replaceChildren(place.turn);
  place.reply.before(h("p", { class: "hint", say: "talk_gone" }));
  return heard(question, place, said);
}

/** Tell whether a conversation was deleted meanwhile, in another tab say. */
async function isDeleted(conversation) {
  try {
    await history(conversation);
  } catch (error) {
    forgive(error);
    return error.status === 404;
  }
  return false;
}

async function heard(question, place, { mine, by }) {
  mine.conversation = await begun();
  const chosen = by.agent ?? wantedAgent();
  const agent = by.meaning && !TAKES_MEANINGS.has(chosen) ? "" : chosen;
  if (agent === RESEARCH) mine.budget = by.budget ?? wantedBudget();
  const { budget } = mine;
  // Before the service knows of it: the page may be left at any moment from here on.
  setRunning(mine.conversation, { run: "", question, turns: byId("thread").querySelectorAll(".turn").length, ...(budget && { budget }) });
  const asked = { message: question, conversation_id: mine.conversation, kb: wantedBases() };
  const pins = agent && pinsOf(mine.conversation);
  const to = { ...(agent && { agent_id: agent }), ...(pins?.length && { entity_overrides: pins }), ...(budget && { budget }), ...(by.meaning && { meaning: by.meaning }) };
  const body = { ...asked, stream: true, goes_on: true, ...to };
  const sentences = h("div", { class: "sentences" });
  const events = stream("v1/chat/message", { method: "POST", body, signal: mine.stopper.signal });
  for await (const { event, data } of events) {
    if (event === "run") begin(mine, data.run_id, question);
    else if (event === "step") {
      // There is a record to watch from the first step on.
      if (mine.budget && !mine.outline) watch(place, mine).catch(forgiveEnd);
      else if (!mine.outline) tell(place.reply, data);
    } else if (event === "sentence" && !mine.outline) {
      if (!sentences.isConnected) place.reply.prepend(sentences);
      sentences.append(sentenceView(data));
    } else if (event === "answer") return finish(place, data, mine);
    else if (event === "error") throw Object.assign(new Error(data.detail), { status: data.status, code: data.code });
  }
  // A service that is stopped ends the stream before the answer.
  throw new Refused(0, null);
}

function begin(mine, run, question) {
  mine.runId = run;
  mine.question = question;
  noteRunning(mine);
}

function noteRunning({ conversation, runId: run, question, budget }) {
  setRunning(conversation, { run, question, ...(budget && { budget }) });
}

/** Draw research under way in place of what stands there. */
function outline(place, mine) {
  const raised = (budget) => {
    mine.budget = budget;
    noteRunning(mine);
  };
  mine.outline = outlineView({ run: mine.runId, budget: mine.budget, stop, raised });
  place.reply.replaceChildren(mine.outline.element);
}

async function watch(place, mine) {
  outline(place, mine);
  const path = `v1/runs/${encodeURIComponent(mine.runId)}/events`;
  for await (const { data } of stream(path, { signal: mine.stopper.signal })) mine.outline.take(data);
}

/** Let it pass that a run is no longer watched: what asked for it tells how it ended. */
function forgiveEnd(error) {
  if (error.name !== "AbortError") forgive(error);
}

function finish(place, answer, { budget }) {
  place.reply.replaceChildren(...shown(answer, place.question, budget));
  place.turn.dataset.run = answer.run_id;
  if (answer.payload?.report) noteReport(answer.run_id);
  if (answer.payload?.report?.references.length) announce("said_report", { sections: answer.payload.report.sections.length, sources: answer.citations.length });
  else if (answer.outcome === "nearest") announce("said_nearest", { count: answer.nearest.length });
  else if (answer.refused) announce("said_refused");
  else announce("said_answer", { sentences: answer.sentences.length, sources: answer.citations.length });
}

function shown(answer, question, budget) {
  const chips = (context) => chipsView(context, current, () => ask(question));
  const more = (part) => againWithMore(budget ?? wantedBudget(), part, (twice) => ask(question, { agent: RESEARCH, budget: twice }));
  const meant = (meaning) => ask(answer.rewritten_question || question, { meaning });
  return answerView(answer, { chips, more, meant }).filter(Boolean);
}

function tell(reply, { node, type, label }) {
  const line = reply.querySelector(".now-doing");
  if (!line || type !== "node_started") return;
  const known = named(node);
  if (known.say) say(line, known.say);
  else if (label) {
    delete line.dataset.text;
    line.textContent = label;
  }
}

function turn(question) {
  count += 1;
  const id = `turn-${count}`;
  const reply = h("div", { class: "reply", "aria-busy": "true" });
  const made = h("article", { class: "turn", "aria-labelledby": id }, h("h2", { class: "asked", id }, question), reply);
  // That the conversation could not be shown is no part of it.
  byId("thread").querySelector(":scope > .fault")?.remove();
  byId("thread").append(made);
  byId("hello").hidden = true;
  return { turn: made, reply, question };
}

function toggle(isBusy) {
  const [gone, come] = isBusy ? ["send", "stop"] : ["stop", "send"];
  const held = document.activeElement;
  byId(gone).hidden = true;
  byId(come).hidden = false;
  if (held === byId(gone) || held === document.body) byId("question").focus();
}

function calm() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";
}

/** Open a conversation (none: a new one) as the service kept it, with what is still being answered. */
export async function openConversation(id) {
  leave();
  closeSide();
  setCurrent(id);
  byId("thread").replaceChildren();
  byId("hello").hidden = false;
  byId("thread").parentElement.scrollTop = 0;
  if (id) await restore();
}

/** Show what this conversation has said so far, as the service kept it; raises what kept it from that. */
export async function restore() {
  const id = settled();
  if (!id) return;
  let said;
  try {
    said = await history(id);
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 404) {
      unshown(id, error);
      throw error;
    }
    setCurrent("");
    setRunning(id, null);
    return;
  }
  // Another one was opened meanwhile: this one's turns are none of its.
  if (current() !== id) return;
  showHistory(said);
  // It is shown as it comes; whoever opened the page need not wait for it.
  const known = underWay(id);
  if (known) goOn(known, said.messages).catch(forgive);
}

/** Say in place of a conversation that it cannot be shown, with what opens it once more. */
function unshown(id, error) {
  if (current() !== id) return;
  const again = h("button", { type: "button", class: "quiet small", on: { click: () => openConversation(id).catch(forgive) } }, h("span", { say: "door_again" }));
  byId("hello").hidden = true;
  byId("thread").replaceChildren(h("div", { class: "fault", role: "alert" }, h("p", { say: "load_failed" }), h("p", { class: "hint", say: faultText(error) }), again));
}

function history(id) {
  return call(`chat/history?conversation_id=${encodeURIComponent(id)}`);
}

function showHistory({ messages }) {
  let place = null;
  for (const message of messages) {
    if (message.role === "user") place = turn(message.source_deleted ? "…" : message.content);
    else if (place) {
      const { answer } = message;
      const view = answer && !message.source_deleted ? answerView(answer, {}) : keptView(message);
      place.reply.replaceChildren(...view.filter(Boolean));
      place.reply.removeAttribute("aria-busy");
      if (message.run_id) place.turn.dataset.run = message.run_id;
      if (answer && !message.source_deleted && isReport(answer.run_id)) showReport(place, answer).catch(forgive);
    }
  }
  byId("thread").lastElementChild?.scrollIntoView({ block: "start" });
}

/** Show a kept answer as the report that it was. */
async function showReport(place, answer) {
  const found = await withReport(answer);
  if (place.reply.isConnected) place.reply.replaceChildren(...shown(found, place.question));
}

/**
 * Go on with a question that was being answered when the page was left.
 *
 * Whether it is in the conversation is told by the messages that are shown: of others, asked for
 * later, those that came meanwhile would stand nowhere.
 */
async function goOn({ run, question, budget, turns = 0 }, messages) {
  const id = current();
  const isOfIt = run ? (message) => message.run_id === run : (_, at) => at >= 2 * turns - 2;
  if (messages.some(isOfIt)) return setRunning(id, null);
  const place = turn(question);
  place.turn.scrollIntoView({ block: "start" });
  return held(place, question, (mine) => follow(place, Object.assign(mine, { runId: run, question, budget }), { isOfIt }));
}

/** Follow a run to its end and show its answer, over as many connections as that takes. */
async function follow(place, mine, { isOfIt }) {
  try {
    return await followed(place, mine, { isOfIt });
  } catch (error) {
    if (!isLost(error)) throw error;
    return again(place, mine, { isOfIt });
  }
}

/** Follow a run that the connection to was lost, once the service is reached again. */
async function again(place, mine, { isOfIt }) {
  mine.outline = null;
  place.reply.replaceChildren(loom("lost"));
  announce("lost");
  await reached(mine.stopper.signal);
  place.reply.replaceChildren(loom());
  return follow(place, mine, { isOfIt });
}

async function followed(place, mine, { isOfIt }) {
  const path = mine.runId && `v1/runs/${encodeURIComponent(mine.runId)}`;
  const events = path ? stream(`${path}/events`, { signal: mine.stopper.signal }) : [];
  for await (const { event, data } of events) {
    if (mine.budget && !mine.outline) outline(place, mine);
    if (mine.outline) mine.outline.take(data);
    else tell(place.reply, { node: data.node, type: event });
  }
  const answer = await answerOf(isOfIt, mine.conversation, path);
  finish(place, mine.budget ? await withReport(answer) : answer, mine);
}

/** Return the answer of a run that has ended, once its conversation has it; no path: not known. */
async function answerOf(isOfIt, conversation, path) {
  for (let look = 0; look < LOOKS; look += 1) {
    const { messages } = await history(conversation);
    const found = messages.filter(isOfIt).find((message) => message.answer);
    if (found) return found.answer;
    const { status, error } = path ? await call(path) : { status: "running" };
    if (status !== "finished" && !UNDER_WAY.has(status)) throw Object.assign(new Error(error), { code: status === "cancelled" ? status : "" });
    await new Promise((go) => setTimeout(go, LOOK_MS));
  }
  throw new Error("");
}
