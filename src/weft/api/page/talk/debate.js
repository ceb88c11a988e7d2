// A debate: where its knowledge bases disagree, and what the agent of each answered, side by side.
import { unmarked } from "../reader/marks.js";
import { baseName } from "../shelf/shelf.js";
import { h } from "../view.js";

const CITED = /(?: \[\d+\])+$/;

/** Return the sides of a debate; `cite` makes the button of a citation among others. */
export function debateView({ debate_results: results, agent_statuses: statuses, disagreements }, citations, cite) {
  const answers = new Map(results.map((each) => [each.kb, each]));
  const agents = statuses.map((each) => agentView(each, answers.get(each.kb), cite));
  const disputes = disagreements.map(({ positions }) => disputeView(positions, citations, cite));
  return h(
    "div",
    { class: "debate", role: "group", label: "debate" },
    ...disputes,
    h("details", { class: "agents", open: statuses.some(({ status }) => status !== "ready") }, h("summary", { say: ["debate_agents", { count: agents.length }] }), h("div", { class: "side-by-side" }, ...agents)),
  );
}

function disputeView(positions, citations, cite) {
  const sides = positions.map(({ text, kbs, citations: numbers }) => {
    const cited = citations.filter(({ n }) => numbers.includes(n));
    const who = h("p", { class: "who" }, kbs.map(baseName).join(", "));
    return h("div", { class: "position" }, who, h("p", { class: "words" }, unmarked(text), " ", ...cited.map((each) => cite(each, citations))));
  });
  return h("div", { class: "dispute" }, h("h3", { say: "debate_disagree" }), h("div", { class: "side-by-side" }, ...sides));
}

function agentView({ kb, status, reason }, result, cite) {
  const standing = h("span", { class: `standing ${status}`, say: `standing_${status}` });
  const head = h("div", { class: "agent-head" }, h("h4", {}, baseName(kb)), standing);
  const why = reason ? h("p", { class: "hint" }, reason) : null;
  return h("article", { class: "agent" }, head, why, ...(result?.response ? said(result, cite) : []));
}

function said({ response, citations }, cite) {
  return response.split(/\n+/).map((line) => {
    const marks = line.match(CITED)?.[0] ?? "";
    const numbers = [...marks.matchAll(/\d+/g)].map(([number]) => Number(number));
    const cited = citations.filter(({ n }) => numbers.includes(n));
    const words = line.slice(0, line.length - marks.length);
    return h("p", { class: "words" }, unmarked(words), " ", ...cited.map((each) => cite(each, citations)));
  });
}
