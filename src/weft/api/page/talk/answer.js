// One answer: its sentences, how far each is borne out, what it cites, what it refuses.
import { isWeb, readable } from "../reader/address.js";
import { showCitation } from "../reader/document.js";
import { harmless, unmarked } from "../reader/marks.js";
import { baseName } from "../shelf/shelf.js";
import { has } from "../texts.js";
import { debateView } from "./debate.js";
import { reportView } from "./report.js";
import { tableView } from "./table.js";
import { showTrace } from "./trace.js";
import { announce, h, icon, label, say } from "../view.js";

const OF_REPORT = new Set(["research_cut_short", "sections_failed"]);
const CITED = /(?: \[\d+\])+$/;

/**
 * Return an answer as the service sent it; `more` makes what asks again where a budget ended it, `meant` asks again
 * with the id of what was meant.
 */
export function answerView(answer, { again, chips, meant, more: further }) {
  const parts = [];
  if (answer.rewritten_question) parts.push(h("p", { class: "hint", say: ["rewritten", { text: answer.rewritten_question }] }));
  const report = answer.payload?.report;
  if (report?.references.length) {
    const known = { report, run_id: answer.run_id, citations: answer.citations };
    parts.push(reportView(known, { sentence: sentenceView, references: sources, again: further }));
  } else if (answer.refused) {
    parts.push(refusal({ ...answer, missing: report?.missing ?? answer.missing }));
    if (report?.is_partial && further) parts.push(further(report.ended_by));
    if (answer.nearest?.length) parts.push(nearest(answer.nearest));
    if (answer.meanings?.length && meant) parts.push(meanings(answer.meanings, meant));
  } else {
    if (answer.short) parts.push(h("p", { class: "short" }, answer.short));
    const sentences = h("div", { class: "sentences" }, ...answer.sentences.map((each) => sentenceView(each, answer.citations)));
    if (answer.table?.rows.length) parts.push(rowsOf(answer), folded(sentences, answer.sentences.length));
    else parts.push(sentences);
    parts.push(sources(answer.citations));
    if (answer.more?.length) parts.push(more(answer.more, answer.citations));
  }
  if (answer.payload?.debate_state) parts.push(debateView(answer.payload, answer.citations, citeButton));
  // What a report says of itself already is not said again below it.
  const notes = joined(answer.notes ?? []).filter(({ code }) => !report?.references.length || !OF_REPORT.has(code));
  if (notes.length) parts.push(h("ul", { class: "notes" }, ...notes.map(noteView)));
  const context = answer.payload?.semantic_context;
  if (context && chips) parts.push(...chips(context));
  // A report that only comes near is one all the same, and quotes.
  parts.push(foot(report?.references.length ? { ...answer, refused: false } : answer, again));
  return parts;
}

function rowsOf({ table, citations }) {
  const cite = (n) => {
    const found = citations.find((each) => each.n === n);
    return found && citeButton(found, citations);
  };
  return tableView(table, cite);
}

/** Return the sentences of rows that a table shows already, folded. */
function folded(sentences, count) {
  return h("details", { class: "by-row" }, h("summary", { say: ["table_by_row", { count }] }), sentences);
}

/** Return notes, what is said of several knowledge bases said once. */
function joined(notes) {
  const found = new Map();
  for (const note of notes) {
    const { base, ...others } = note.values;
    const key = base ? JSON.stringify([note.code, others]) : note.text;
    const known = found.get(key);
    const called = base ? { ...note.values, base: baseName(base) } : note.values;
    const values = known ? { ...others, base: `${known.values.base}, ${called.base}` } : called;
    found.set(key, { ...note, values });
  }
  return [...found.values()];
}

function noteView({ code, text, values }) {
  return has(`note_${code}`) ? h("li", { say: [`note_${code}`, values] }) : h("li", {}, text);
}

/** Return one sentence with its tier and its citations. */
export function sentenceView({ text, tier, citations, missing }, all = citations) {
  const numbers = citations.map((each) => citeButton(each, all));
  const line = h("p", { class: "words" }, unmarked(text), " ", ...numbers);
  const tierName = h("span", { class: "tier", say: `tier_${tier}` });
  const said = h("div", { class: `sentence ${tier}`, "data-tier": tier }, tierName, line);
  const why = h("span", { class: "unseen", say: `tier_${tier}_why` });
  tierName.after(why);
  if (missing?.length) said.append(h("p", { class: "lacks", say: ["lacks", { what: missing.join(", ") }] }));
  return said;
}

function citeButton(citation, all) {
  const made = h("button", { type: "button", class: "cite", "data-opens": `cite-${citation.n}`, on: { click: (event) => open(citation, all, event.currentTarget) } }, String(citation.n));
  label(made, "cite", { n: citation.n, title: citation.title });
  made.addEventListener("keydown", walk);
  return made;
}

function open(citation, all, from) {
  const at = all.findIndex((each) => each.n === citation.n);
  showCitation(at < 0 ? [citation] : all, Math.max(0, at), from);
}

function walk(event) {
  const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (!by) return;
  const all = [...event.currentTarget.closest(".turn").querySelectorAll(".cite")].filter((each) => each.checkVisibility());
  const next = all[all.indexOf(event.currentTarget) + by];
  if (!next) return;
  event.preventDefault();
  event.stopPropagation();
  next.focus();
}

function sources(citations) {
  if (!citations.length) return null;
  const items = citations.map((citation) => {
    const number = citation.n === null ? null : h("span", { class: "number", "aria-hidden": "true" }, String(citation.n));
    return h("li", {}, sourceButton(citation, citations, number));
  });
  return h("div", { class: "sources", role: "group", label: "sources" }, h("ol", {}, ...items));
}

function sourceButton(citation, all, number = null) {
  const title = h("span", { class: "source-title" }, citation.title || citation.doc_id);
  const at = all.indexOf(citation);
  const show = (event) => showCitation(all, at, event.currentTarget);
  // An older conversation has no numbers; then the place in the list is one.
  return h("button", { type: "button", class: "source", "data-opens": `source-${citation.n ?? `at-${at}`}`, on: { click: show } }, number, title, where(citation));
}

function where({ title, page, section, kb, uri }) {
  const place = h("span", { class: "where" });
  if (page !== null && page !== undefined) place.append(h("span", { say: ["page_of", { page }] }));
  if (section && section !== title) place.append(h("span", {}, section));
  if (uri && !isWeb(uri) && readable(uri) !== title) place.append(h("span", {}, readable(uri)));
  if (kb) place.append(h("span", {}, baseName(kb)));
  return place;
}

/** Return a former answer as the conversation kept it: its text, and what it cites of which documents. */
export function keptView({ content, sources: documents = [], citations = [], run_id: runId, source_deleted: isGone }) {
  if (isGone) return [h("p", { class: "hint", say: "source_deleted" })];
  // What rests on no document was a refusal.
  if (!documents.length) return [refusal({ answer: content, missing: [] }), foot({ run_id: runId, refused: true })];
  const lines = content.split(/\n+/);
  const isShort = lines.length > 1 && !CITED.test(lines[0]) && CITED.test(lines[1]);
  const short = isShort ? h("p", { class: "short" }, lines.shift()) : null;
  const paragraphs = lines.map((line) => keptLine(line, citations));
  // An older conversation kept its documents alone, and its numbers point nowhere.
  const known = citations.length ? citations : documents.map((each) => ({ ...each, n: null, start: null }));
  return [short, h("div", { class: "sentences" }, ...paragraphs), sources(known), foot({ run_id: runId, refused: true })];
}

function keptLine(line, citations) {
  const marks = line.match(CITED)?.[0] ?? "";
  const numbers = [...marks.matchAll(/\d+/g)].map(([number]) => Number(number));
  const cited = citations.filter(({ n }) => numbers.includes(n));
  const words = line.slice(0, line.length - marks.length);
  return h("p", { class: "words" }, unmarked(words), " ", ...cited.map((each) => citeButton(each, citations)));
}

function refusal({ answer, missing, reason, nearest: near }) {
  const parts = [h("h3", { say: near?.length ? "refused_near" : "refused" })];
  if (reason && has(`note_${reason.code}`)) parts.push(h("p", { class: "words", say: [`note_${reason.code}`, reason.values] }));
  else if (answer) parts.push(h("p", { class: "words" }, answer.split("\n")[0]));
  parts.push(h("p", { class: "hint", say: missing.length ? "refused_why" : "refused_plain" }));
  if (missing.length) parts.push(h("ul", { class: "missing" }, ...missing.map((each) => h("li", {}, each))));
  return h("div", { class: "refusal" }, ...parts);
}

/** Return what was found instead of an answer, and said to be no answer. */
function nearest(citations) {
  return h("div", { class: "nearest" }, h("h3", { say: "nearest" }), ...found(citations));
}

/** Return what the question may ask of tables, for the person to choose from. */
function meanings(all, meant) {
  const chips = all.map(({ id, text }) => h("button", { type: "button", class: "chip", on: { click: () => meant(id) } }, harmless(text)));
  return h("div", { class: "which", role: "group", label: "meanings" }, h("p", { say: "meanings" }), ...chips);
}

/** Return what was found besides an answer, folded; its citations follow those of the answer. */
function more(citations, cited) {
  const name = h("summary", { say: ["more", { count: citations.length }] });
  return h("details", { class: "more" }, name, ...found(citations, [...cited, ...citations]));
}

function found(citations, all = citations) {
  return citations.map((each) =>
    h("div", { class: "found" }, h("p", { class: "words" }, unmarked(each.snippet), " ", citeButton(each, all)), sourceButton(each, all)),
  );
}

function foot(answer, again) {
  const left = h("p", { class: "how" });
  if (answer.offline) left.append(h("span", { say: answer.refused ? "offline_refused" : "offline" }));
  if (answer.took_ms) left.append(h("span", { say: ["took", { seconds: Math.round(answer.took_ms / 10) / 100 }] }));
  const tools = h("div", { class: "acts" });
  if (!answer.refused) tools.append(copyButton(answer));
  if (answer.run_id) tools.append(h("button", { type: "button", class: "quiet small", "data-opens": "trace", on: { click: (event) => showTrace(answer, event.currentTarget) } }, icon("steps"), h("span", { say: "trace" })));
  if (again) tools.append(h("button", { type: "button", class: "quiet small", on: { click: again } }, h("span", { say: "again" })));
  return h("footer", { class: "foot" }, left, tools);
}

function copyButton(answer) {
  const name = h("span", { say: "copy" });
  const copy = async () => {
    const told = (await put(plainText(answer))) ? "copied" : "copy_failed";
    say(name, told);
    announce(told);
    setTimeout(() => say(name, "copy"), 2000);
  };
  return h("button", { type: "button", class: "quiet small copy", on: { click: copy } }, icon("copy"), name);
}

/** Return an answer with its citations as plain text. */
export function plainText({ short, sentences, citations }) {
  const lines = sentences.map(({ text, citations: cited }) => [unmarked(text), ...cited.map(({ n }) => `[${n}]`)].join(" "));
  const listed = citations.map(({ n, title, page, uri, snippet }) => {
    const place = page === null || page === undefined ? title : `${title}, p. ${page}`;
    return `[${n}] ${place}: “${snippet.replace(/\s+/g, " ")}”${uri ? ` (${readable(uri)})` : ""}`;
  });
  if (short) lines.unshift(short);
  return harmless(`${lines.join("\n")}\n\n${listed.join("\n")}\n`);
}

/** Put a text on the clipboard; tells whether it is there. */
async function put(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Pages without TLS on another machine have no clipboard of their own; others may not use it.
  }
  const focused = document.activeElement;
  const held = h("textarea", { class: "unseen" });
  held.value = text;
  document.body.append(held);
  held.select();
  const isThere = document.execCommand("copy");
  held.remove();
  focused?.focus();
  return isThere;
}
