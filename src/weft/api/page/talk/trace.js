// A run's steps as a tree over time, beside the answer.
import { call } from "../api.js";
import { forget } from "../reader/document.js";
import { openSide } from "../side.js";
import { has } from "../texts.js";
import { byId, h, say } from "../view.js";
import { walkView } from "./walk.js";
import { wayView } from "./way.js";

const DEEPEST = 6;

/** Show how an answer was found: the path through the graph, and the steps of its run. */
export async function showTrace(answer, from) {
  forget();
  const place = h("div", { class: "trace" }, h("div", { class: "bones", "aria-hidden": "true" }, h("i"), h("i"), h("i")));
  openSide({ title: (heading) => say(heading, "trace"), body: [place], kind: "trace", from });
  byId("side-title").focus();
  try {
    const found = await call(`v1/runs/${encodeURIComponent(answer.run_id)}/trace`);
    place.replaceChildren(...[walkView(answer), ...drawn(found)].filter(Boolean));
  } catch (error) {
    place.replaceChildren(h("p", { class: "hint", say: error.status === 404 ? "run_empty" : "load_failed" }));
  }
}

/** Name a node in the reader's language, where it is one of ours. */
export function named(node) {
  const last = node.split("/").pop();
  return has(`step_${last}`) ? { say: `step_${last}` } : {};
}

function drawn({ steps, edges, ms, run_id: runId }) {
  if (!steps.length) return [h("p", { class: "hint", say: "run_empty" })];
  const known = new Map(steps.map((step) => [step.node, step]));
  const rows = steps.map((step) => row(step, { depth: depth(step, known), total: Math.max(ms, 1) }));
  return [
    h("p", { class: "about" }, h("span", { say: ["run_took", { ms }] }), h("code", {}, runId)),
    wayView({ steps, edges }),
    h("ol", { class: "steps" }, ...rows),
  ];
}

/** Return how many forks lie before a step: a chain stays level, branches move in. */
function depth(step, known) {
  const children = new Map();
  for (const { parent } of known.values()) children.set(parent, (children.get(parent) ?? 0) + 1);
  let level = 0;
  let at = step;
  for (let far = 0; known.has(at.parent) && far < known.size; far += 1) {
    if (children.get(at.parent) > 1) level += 1;
    at = known.get(at.parent);
  }
  return Math.min(level, DEEPEST);
}

function row(step, { depth: level, total }) {
  const name = named(step.node);
  const item = h(
    "li",
    { class: "step" },
    h("div", { class: "step-line" }, h("span", { class: "step-name", ...name }, name.say ? null : step.node), took(step)),
    rail(step.start_ms, step.ms ?? total - step.start_ms, { total, how: step.status }),
    ...step.events.map(callOf).filter(Boolean).map((call) => callRow(call, total)),
    facts(step),
  );
  item.style.setProperty("--depth", level);
  return item;
}

/** Return a bar that lies where its time lies within the run. */
function rail(began, length, { total, how }) {
  const bar = h("i", { class: `bar ${how}` });
  bar.style.marginInlineStart = `${Math.min(99, (100 * began) / total)}%`;
  bar.style.inlineSize = `${Math.max(0.8, (100 * length) / total)}%`;
  return h("div", { class: "rail", "aria-hidden": "true" }, bar);
}

/** Return the call that ended with an event, or null: an event tells how long its call took. */
function callOf({ type, ms: ended, data }) {
  if (type === "model_called") return timed(data.model, data.ms, { ended, ok: data.ok });
  if (type === "tool_finished") return timed(data.tool, data.latency_ms, { ended, ok: data.status === "ok" });
  return null;
}

function timed(name, length, { ended, ok }) {
  const ms = Math.round((length ?? 0) * 10) / 10;
  return { name, ms, began: Math.max(0, ended - ms), ok };
}

function callRow({ name, ms, began, ok }, total) {
  const said = ok ? ["step_ms", { ms }] : "step_failed";
  return h(
    "div",
    { class: "call" },
    h("div", { class: "step-line" }, h("code", { class: "step-name" }, name), h("span", { class: "step-ms", say: said })),
    rail(began, ms, { total, how: ok ? "finished" : "failed" }),
  );
}

function took(step) {
  if (step.status === "failed") return h("span", { class: "step-ms failed", say: "step_failed" });
  if (step.ms === null) return h("span", { class: "step-ms", say: "step_running" });
  return h("span", { class: "step-ms", say: ["step_ms", { ms: step.ms }] });
}

function facts({ events }) {
  if (!events.length) return null;
  const lines = events.map(({ type, ms, data }) =>
    h("li", {}, happened(type), h("span", { class: "step-ms" }, `${ms} ms`), h("pre", {}, told(data))),
  );
  return h("details", {}, h("summary", { say: ["step_facts", { count: events.length }] }), h("ul", {}, ...lines));
}

function happened(type) {
  return has(`event_${type}`) ? h("span", { say: `event_${type}` }) : h("code", {}, type);
}

function told(data) {
  return Object.entries(data)
    .map(([key, value]) => `${key}: ${typeof value === "object" ? JSON.stringify(value) : value}`)
    .join("\n");
}
