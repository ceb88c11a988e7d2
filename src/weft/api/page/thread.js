// The conversation: a question goes out, steps and sentences come in, one at a time.
import { answerView, keptView, sentenceView } from "./answer.js";
import { call, forgive, stream } from "./api.js";
import { faultText } from "./fault.js";
import { closeSide } from "./side.js";
import { named } from "./trace.js";
import { announce, byId, h, say } from "./view.js";

let running = null;
let wantedBases = () => [];
let wantedAgent = () => "";
let count = 0;

/** Begin; `bases` tells which knowledge bases are chosen, `agent` who answers. */
export function beginThread(bases, agent) {
  wantedBases = bases;
  wantedAgent = agent;
}

/** Tell whether a question is being answered. */
export function isAsking() {
  return running !== null;
}

/** Ask a question and show what comes of it. */
export async function ask(question) {
  if (running || !question.trim()) return;
  const place = turn(question.trim());
  const mine = { stopper: new AbortController(), runId: null, bases: wantedBases(), agent: wantedAgent() };
  running = mine;
  toggle(true);
  place.reply.replaceChildren(loom());
  place.turn.scrollIntoView({ block: "start", behavior: calm() });
  announce("working");
  try {
    await listen(question.trim(), place, mine);
  } catch (error) {
    if (error.name === "AbortError") {
      place.reply.replaceChildren(ended("stopped", question));
    } else {
      place.reply.replaceChildren(failure(error, question));
      announce("failed");
    }
  } finally {
    if (running === mine) running = null;
    toggle(false);
    place.reply.removeAttribute("aria-busy");
  }
}

/** Stop the question that is being answered, here and at the service. */
export function stop() {
  if (!running) return false;
  const { stopper, runId } = running;
  stopper.abort();
  if (runId) call(`v1/runs/${encodeURIComponent(runId)}/cancel`, { method: "POST" }).catch(forgive);
  announce("stopped");
  byId("question").focus();
  return true;
}

async function listen(question, place, mine) {
  const body = { message: question, kb: mine.bases, stream: true, ...(mine.agent && { agent_id: mine.agent }) };
  const sentences = h("div", { class: "sentences" });
  const events = stream("v1/chat/message", { method: "POST", body, signal: mine.stopper.signal });
  for await (const { event, data } of events) {
    if (event === "run") mine.runId = data.run_id;
    else if (event === "step") tell(place.reply, data);
    else if (event === "sentence") {
      if (!sentences.isConnected) place.reply.prepend(sentences);
      sentences.append(sentenceView(data));
    } else if (event === "answer") return finish(place, data);
    else if (event === "error") throw Object.assign(new Error(data.detail), { status: data.status, code: data.code });
  }
  throw new Error("");
}

function finish(place, answer) {
  place.reply.replaceChildren(...answerView(answer, {}).filter(Boolean));
  if (answer.outcome === "nearest") announce("said_nearest", { count: answer.nearest.length });
  else if (answer.refused) announce("said_refused");
  else announce("said_answer", { sentences: answer.sentences.length, sources: answer.citations.length });
}

function tell(reply, { node, type, label }) {
  const line = reply.querySelector(".now-doing");
  if (!line || type !== "node_started") return;
  const known = named(node);
  if (known.say) say(line, known.say);
  else {
    delete line.dataset.text;
    line.textContent = label;
  }
}

function turn(question) {
  count += 1;
  const id = `turn-${count}`;
  const reply = h("div", { class: "reply", "aria-busy": "true" });
  const made = h("article", { class: "turn", "aria-labelledby": id }, h("h2", { class: "asked", id }, question), reply);
  byId("thread").append(made);
  byId("hello").hidden = true;
  return { turn: made, reply };
}

function loom() {
  return h(
    "div",
    { class: "loom" },
    h("p", { class: "now-doing", say: "working" }),
    h("div", { class: "bones", "aria-hidden": "true" }, h("i"), h("i"), h("i")),
  );
}

function ended(key, question) {
  return h("p", { class: "hint" }, h("span", { say: key }), " ", againButton(question));
}

function failure(error, question) {
  const why = h("p", { class: "hint", say: faultText(error, "unreachable") });
  return h("div", { class: "fault", role: "alert" }, h("p", { say: "failed" }), why, againButton(question));
}

function againButton(question) {
  return h("button", { type: "button", class: "quiet small", on: { click: () => ask(question) } }, h("span", { say: "again" }));
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

/** Show what this conversation has said so far, as the service kept it. */
export async function restore() {
  const { messages } = await call("chat/history");
  let place = null;
  for (const message of messages) {
    if (message.role === "user") place = turn(message.source_deleted ? "…" : message.content);
    else if (place) {
      place.reply.replaceChildren(...keptView(message).filter(Boolean));
      place.reply.removeAttribute("aria-busy");
    }
  }
  byId("thread").lastElementChild?.scrollIntoView({ block: "start" });
}

/** Erase the conversation, here and at the service. */
export async function clear() {
  stop();
  await call("chat/clear", { method: "POST", body: {} });
  byId("thread").replaceChildren();
  byId("hello").hidden = false;
  closeSide();
  announce("cleared");
  byId("question").focus();
}
