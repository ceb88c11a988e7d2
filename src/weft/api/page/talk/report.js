// A report: its summary, its sections, what is missing, one numbered list of references.
import { call, Refused } from "../api.js";
import { has } from "../texts.js";
import { h, icon, remember, remembered } from "../view.js";

const MOST_KNOWN = 200;
const SAID = new Set(["empty", "partial", "failed"]);

/**
 * Return the parts of a report; `sentence` draws one with its citations, `references` the list of
 * them, `again` (may be null) asks once more where the budget was used up.
 */
export function reportView({ report, run_id: run, citations }, { sentence, references, again }) {
  const cited = new Map(citations.map((each) => [each.n, each]));
  const lines = (sentences) => sentencesView(sentences, cited, sentence);
  const isOne = report.sections.length === 1 && !report.summary.length;
  const parts = same(report.title, report.question) ? [] : [h("h3", { class: "report-title" }, report.title)];
  if (report.is_partial) parts.push(partial(report, again));
  if (report.summary.length) parts.push(h("section", { class: "report-part" }, h("h4", { say: "report_summary" }), lines(report.summary)));
  const asksMany = new Set(report.sections.map((each) => each.key_question)).size > 1;
  parts.push(...report.sections.map((each) => sectionView(each, lines, { isOne, asksMany })));
  if (report.missing.length) parts.push(missingView(report.missing));
  if (citations.length) parts.push(h("section", { class: "report-part" }, h("h4", { say: "report_references" }), references(citations)));
  parts.push(h("div", { class: "acts report-acts" }, save(run, "markdown"), save(run, "html")));
  return h("div", { class: "report" }, ...parts);
}

function sectionView({ title, key_question: question, status, reason, sentences, answering, missing }, lines, { isOne, asksMany }) {
  const answers = sentences.slice(0, answering);
  const near = sentences.slice(answering);
  const remark = SAID.has(status) ? h("p", { class: `remark ${status}`, say: remarkOf(status, { reason, isBare: !sentences.length }) }) : null;
  return h(
    "section",
    { class: "report-part", "data-status": status },
    isOne ? null : h("h4", {}, title),
    !asksMany || same(question, title) ? null : h("p", { class: "hint" }, question),
    remark,
    answers.length ? lines(answers) : null,
    near.length ? h("p", { class: "remark", say: answers.length ? "report_beside" : "report_near" }) : null,
    near.length ? h("div", { class: "near" }, lines(near)) : null,
    missing.length && !isOne ? missingList(missing, "report_not_found") : null,
  );
}

/** Return what is to be known of a section, as [key, values]; of one cut short its budget is told above. */
function remarkOf(status, { reason, isBare }) {
  if (status === "failed") return ["report_failed", { reason }];
  return [status === "partial" && isBare ? "report_unbegun" : `report_${status}`];
}

function sentencesView(sentences, cited, sentence) {
  const drawn = sentences.map((each) => {
    const citations = each.citations.map((n) => cited.get(n)).filter(Boolean);
    return sentence({ ...each, citations, missing: [] }, [...cited.values()]);
  });
  return h("div", { class: "sentences" }, ...drawn);
}

function missingView(missing) {
  return h("section", { class: "report-part" }, h("h4", { say: "report_missing" }), missingList(missing));
}

function missingList(missing, key) {
  const items = missing.map((each) => h("li", {}, each));
  return h("div", {}, key ? h("p", { class: "remark", say: key }) : null, h("ul", { class: "missing" }, ...items));
}

/** Tell whether two lines say the same, but for capitals and how they end. */
function same(one, other) {
  const [a, b] = [one, other].map((each) => each.toLowerCase().replace(/[\s.?!。？！]+$/u, ""));
  return a === b;
}

function partial({ ended_by: part }, again) {
  // A share of the budget that ended a section need not be any one part of the whole.
  const said = has(`budget_${part}`) ? ["report_ended", { part: [`budget_${part}`] }] : ["report_cut"];
  return h("div", { class: "partial" }, h("p", { say: said }), again?.(part) ?? null);
}

function save(run, form) {
  const href = `v1/research/${encodeURIComponent(run)}?format=${form}`;
  const name = `report.${form === "html" ? "html" : "md"}`;
  return h("a", { class: "quiet small save-report", href, download: name, "data-form": form }, icon("down"), h("span", { say: `report_save_${form}` }));
}

/** Return a kept answer together with the report of its run, where there is one to be read. */
export async function withReport(answer) {
  try {
    const kept = await call(`v1/research/${encodeURIComponent(answer.run_id)}`);
    return kept.report ? { ...answer, payload: kept } : answer;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return answer;
  }
}

/** Note that a run wrote a report: what a conversation keeps of it does not say so. */
export function noteReport(run) {
  remember("reports", [...new Set([...known(), run])].slice(-MOST_KNOWN).join(" "));
}

/** Tell whether a run wrote a report, as far as this browser knows. */
export function isReport(run) {
  return known().includes(run);
}

function known() {
  return remembered("reports").split(" ").filter(Boolean);
}
