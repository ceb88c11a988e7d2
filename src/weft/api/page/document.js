// A cited document beside the answer, scrolled to the cited span.
import { decoded, isWeb, readable } from "./address.js";
import { call } from "./api.js";
import { faultText } from "./fault.js";
import { openSide } from "./side.js";
import { piecesOf, placed, windowed } from "./spans.js";
import { announce, byId, h, icon } from "./view.js";

const SHOWN = 300_000;
const HEADING = Symbol("heading");
let open = null;

/** Show the citation at a place in an answer's list, with its document. */
export async function showCitation(citations, at) {
  const shown = { citations, at };
  open = shown;
  const wanted = citations[at];
  const fresh = byId("side").hidden;
  openSide({ title: (heading) => heading.append(wanted.title || wanted.doc_id), tools: steppers(shown), body: [bones()] });
  if (fresh) byId("side-title").focus();
  const path = `v1/kb/${encodeURIComponent(wanted.kb)}/documents/${wanted.doc_id.split("/").map(encodeURIComponent).join("/")}`;
  try {
    const found = await call(path);
    if (open === shown) render(found, shown);
  } catch (error) {
    if (open === shown) byId("side-body").replaceChildren(h("p", { class: "fault", role: "alert", say: faultText(error) }));
  }
}

/** Go to the next or the former citation of the open answer; returns whether there was one. */
export function step(by) {
  const next = open === null ? -1 : open.at + by;
  if (open === null || !open.citations[next]) return false;
  showCitation(open.citations, next);
  return true;
}

/** Forget what was open, so that the arrow keys do nothing more. */
export function forget() {
  open = null;
}

function steppers({ citations, at }) {
  if (citations.length < 2) return [];
  const go = (name, label, by) =>
    h("button", { type: "button", class: "quiet", id: `step-${name}`, label, disabled: !citations[at + by], on: { click: () => turn(by, name) } }, icon(name));
  const place = h("span", { class: "place", say: ["part_of", { n: at + 1, count: citations.length }] });
  return [go("left", "before", -1), place, go("right", "after", 1)];
}

function turn(by, name) {
  step(by);
  const again = byId(`step-${name}`);
  (again && !again.disabled ? again : byId("side-title")).focus();
}

function render({ document: known, text }, { citations, at }) {
  const wanted = citations[at];
  const spans = citations.filter((each) => each.doc_id === wanted.doc_id && each.kb === wanted.kb && each.start !== null);
  const here = placed(text, spans);
  const current = here.find((each) => each.n === wanted.n);
  const holds = current ? text.slice(current.from, current.to) === current.snippet : false;
  const part = windowed(text, current?.from ?? 0, SHOWN);
  const moved = here.map((each) => ({ ...each, from: each.from - part.offset, to: each.to - part.offset }));
  const body = [about(known, wanted)];
  if (current && !holds) body.push(gone(wanted));
  if (part.text.length < text.length) body.push(h("p", { class: "hint", say: "cut" }));
  const shown = holds ? moved : [];
  const heads = /\.(md|markdown)$/i.test(known.uri) ? headings(part.text, shown) : [];
  body.push(h("div", { class: "text" }, ...marked(part.text, [...shown, ...heads], wanted.n)));
  byId("side-body").replaceChildren(...body);
  byId("side-body").querySelector("mark.now")?.scrollIntoView({ block: "center" });
  if (holds) announce("cited_text", { text: wanted.snippet });
}

function marked(text, citations, now) {
  return piecesOf(text, citations).map(({ text: piece, cited }) => {
    if (!cited.length) return document.createTextNode(piece);
    if (cited[0].n === HEADING) return h("b", {}, piece);
    const isNow = cited.some((each) => each.n === now);
    return h("mark", { class: isNow ? "now" : "other", "data-n": cited.map((each) => each.n).join(" ") }, piece);
  });
}

/** Return where Markdown headings stand that no citation touches; they are shown as they are. */
function headings(text, citations) {
  const found = [...text.matchAll(/^#{1,6} .+$/gm)].map(({ index, 0: line }) => ({ n: HEADING, from: index, to: index + line.length }));
  return found.filter(({ from, to }) => citations.every((each) => each.to <= from || to <= each.from));
}

function gone({ snippet }) {
  return h("div", { class: "gone" }, h("p", { say: "changed" }), h("blockquote", {}, snippet));
}

function about(known, { page, section }) {
  const line = h("p", { class: "about" });
  if (page !== null && page !== undefined) line.append(h("span", { say: ["page_of", { page }] }));
  if (section && section !== known.title) line.append(h("span", {}, section));
  if (known.updated) line.append(h("span", { say: ["updated", { date: known.updated.slice(0, 10) }] }));
  if (known.uri) line.append(address(known.uri));
  return line;
}

function address(uri) {
  if (isWeb(uri)) return h("a", { href: uri, target: "_blank", rel: "noopener noreferrer" }, uri);
  return h("span", { class: "path", title: decoded(uri) }, readable(uri));
}

function bones() {
  return h("div", { class: "bones", "aria-hidden": "true" }, ...Array.from({ length: 9 }, () => h("i")));
}
