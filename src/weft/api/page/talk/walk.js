// The graph path of an answer: things and the relations that lead from one to the next.
import { showCitation, showDocument } from "../reader/document.js";
import { h } from "../view.js";

const MOST = 8;

/** Return the paths that the graph was walked along, or null; each relation opens what bears it out. */
export function walkView({ payload, citations }) {
  const matches = payload?.lpg_result?.matches ?? [];
  if (!matches.length) return null;
  const known = new Map((payload.evidence ?? []).map((each) => [each.id, each]));
  const lines = matches.slice(0, MOST).map((match) => line(match, { known, citations }));
  const rest = matches.length - lines.length;
  return h(
    "section",
    { class: "walks" },
    h("h3", { say: "walk" }),
    h("ol", {}, ...lines),
    rest ? h("p", { class: "hint", say: ["walk_rest", { count: rest }] }) : null,
  );
}

function line({ nodes, relations, evidence_ids: ids }, from) {
  const parts = nodes.flatMap((node, at) => (at ? [tie(relations[at - 1] ?? [], ids, from), thing(node)] : [thing(node)]));
  return h("li", { class: "walk" }, ...parts);
}

function thing({ name, class: kind, value }) {
  const said = name || String(value ?? "");
  return h("span", { class: "thing" }, h("b", {}, said), kind ? h("span", { class: "kind" }, kind) : null);
}

function tie(relations, ids, from) {
  const said = relations.join(", ").replaceAll("_", " ");
  const open = opens(ids ?? [], from);
  const words = [h("span", {}, said), h("i", { "aria-hidden": "true" })];
  if (!open) return h("span", { class: "tie" }, ...words);
  return h("button", { type: "button", class: "tie", label: ["walk_open", { relation: said }], on: { click: open } }, ...words);
}

/** Return what opens the passage of a relation: as a citation of the answer, else its document. */
function opens(ids, { known, citations }) {
  const found = ids.map((id) => known.get(id)).filter(Boolean);
  for (const { chunk_id: chunk } of found) {
    const at = citations.findIndex((each) => each.chunk_id === chunk);
    if (at >= 0) return () => showCitation(citations, at);
  }
  const [first] = found;
  return first ? () => showDocument({ kb: first.knowledge_base, doc_id: first.document_id, title: first.document_id.split("/").pop() }) : null;
}
