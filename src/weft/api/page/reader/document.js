// A document beside the answer: its text as it is read or as it is stored, with what is cited marked.
import { call } from "../api.js";
import { faultText } from "../fault.js";
import { openSide } from "../side.js";
import { announce, byId, h, icon, remember, remembered } from "../view.js";
import { decoded, isWeb, readable } from "./address.js";
import { drawnBlocks, drawnText } from "./drawing.js";
import { blocksOf } from "./markdown.js";
import { harmless } from "./marks.js";
import { placed, windowed } from "./spans.js";

const SHOWN = 300_000;
const MARKDOWN = /\.(md|mdx|mdown|markdown)$/i;
const NAMED = /\.[a-z0-9]{1,8}$/i;
const MARKED = /^(#{1,6} \S|\|? *:?-{3,}:? *\||```)/gm;
const MARKS_OF_MARKDOWN = 2;
let open = null;
let resumed = null;

/** Let the next document that is shown be scrolled to a place, in pixels. */
export function resumeAt(scroll) {
  resumed = scroll;
}

/** Show the citation at a place in an answer's list, with its document; `from` is the button that asked. */
export function showCitation(citations, at, from = null) {
  return show({ citations, at }, from);
}

/** Show a document from its beginning; `back` returns to where it was chosen. */
export function showDocument({ kb, doc_id: id, title }, back) {
  return show({ citations: [{ n: null, kb, doc_id: id, title, start: null }], at: 0, back });
}

async function show(shown, from) {
  open = shown;
  const wanted = shown.citations[shown.at];
  const fresh = byId("side").hidden;
  const heading = (place) => place.append(harmless(wanted.title || wanted.doc_id));
  openSide({ title: heading, tools: tools(shown), body: [bones()], kind: "document", from });
  if (fresh || shown.back) byId("side-title").focus();
  const path = `v1/kb/${encodeURIComponent(wanted.kb)}/documents/${wanted.doc_id.split("/").map(encodeURIComponent).join("/")}`;
  try {
    shown.found = await call(`${path}?original=true`);
    shown.path = path;
    if (open === shown) render(shown);
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

/** Return which citation of its answer is open. */
export function openPlace() {
  return open?.at ?? 0;
}

/** Forget what was open, so that the arrow keys do nothing more. */
export function forget() {
  open = null;
}

function tools(shown) {
  const { citations, at, back } = shown;
  const raw = h("button", { type: "button", class: "quiet small", id: "stored-text", "aria-pressed": String(isRaw()), hidden: true, on: { click: () => flip(shown) } }, h("span", { say: "stored_text" }));
  const home = back && h("button", { type: "button", class: "quiet small", id: "side-back", on: { click: back } }, icon("left"), h("span", { say: "back" }));
  if (citations.length < 2) return [home, raw].filter(Boolean);
  const go = (name, label, by) =>
    h("button", { type: "button", class: "quiet", id: `step-${name}`, label, disabled: !citations[at + by], on: { click: () => turn(by, name) } }, icon(name));
  const place = h("span", { class: "place", say: ["part_of", { n: at + 1, count: citations.length }] });
  return [raw, go("left", "before", -1), place, go("right", "after", 1)];
}

function turn(by, name) {
  step(by);
  const again = byId(`step-${name}`);
  (again && !again.disabled ? again : byId("side-title")).focus();
}

function isRaw() {
  return remembered("reader") === "stored";
}

function flip(shown) {
  remember("reader", isRaw() ? "" : "stored");
  byId("stored-text").setAttribute("aria-pressed", String(isRaw()));
  render(shown);
}

function render({ citations, at, path, found: { document: known, text, original } }) {
  const wanted = citations[at];
  const spans = citations.filter((each) => each.doc_id === wanted.doc_id && each.kb === wanted.kb && each.start !== null);
  const here = placed(text, spans);
  const current = here.find((each) => each.n === wanted.n);
  const holds = current ? text.slice(current.from, current.to) === current.snippet : false;
  const part = windowed(text, current?.from ?? 0, SHOWN);
  const moved = here.map((each) => ({ ...each, from: each.from - part.offset, to: each.to - part.offset }));
  const body = [about(known, wanted, original && opener(path, original, wanted.page))];
  if (current && !holds) body.push(gone(wanted));
  if (part.text.length < text.length) body.push(h("p", { class: "hint", say: current ? "cut" : "cut_end" }));
  body.push(textOf(known, part.text, { citations: holds ? moved : [], now: wanted.n }));
  byId("side-body").replaceChildren(...body);
  byId("side-body").querySelector("mark.now")?.scrollIntoView({ block: "center" });
  if (resumed !== null) byId("side-body").scrollTop = resumed;
  resumed = null;
  if (holds) announce("cited_text", { text: wanted.snippet });
}

function textOf(known, text, { citations, now }) {
  const isMarkdown = isWrittenInMarkdown(known, text);
  byId("stored-text").hidden = !isMarkdown;
  if (!isMarkdown || isRaw()) return h("div", { class: "text" }, ...drawnText(text, citations, now));
  return h("div", { class: "text marked" }, ...drawnBlocks(text, blocksOf(text), { citations, now }));
}

/** Tell whether a document is Markdown: by its name, or by its marks where it has none. */
function isWrittenInMarkdown({ uri, id, type }, text) {
  const name = [uri, id].map(decoded).find((each) => NAMED.test(each)) ?? "";
  if (MARKDOWN.test(name)) return true;
  return (!name || type === "record") && (text.match(MARKED)?.length ?? 0) >= MARKS_OF_MARKDOWN;
}

function gone({ snippet }) {
  return h("div", { class: "gone" }, h("p", { say: "changed" }), h("blockquote", {}, snippet));
}

/** Return a link to the file itself, which a browser shows at the cited page or saves. */
function opener(path, { name, media_type: kind }, page) {
  const place = kind === "application/pdf" && page ? `#page=${page}` : "";
  const isShown = kind !== "application/octet-stream";
  const link = h("a", { id: "original", href: `${path}/original${place}`, title: harmless(name), say: isShown ? "open_original" : "save_original" });
  if (isShown) for (const [key, value] of [["target", "_blank"], ["rel", "noopener"]]) link.setAttribute(key, value);
  return link;
}

function about(known, { page, section }, file) {
  const line = h("p", { class: "about" });
  if (page !== null && page !== undefined) line.append(h("span", { say: ["page_of", { page }] }));
  if (section && section !== known.title) line.append(h("span", {}, section));
  if (known.updated) line.append(h("span", { say: ["updated", { date: known.updated.slice(0, 10) }] }));
  if (known.uri) line.append(address(known.uri));
  if (file) line.append(file);
  return line;
}

function address(uri) {
  if (isWeb(uri)) return h("a", { href: uri, target: "_blank", rel: "noopener noreferrer" }, uri);
  return h("span", { class: "path", title: decoded(uri) }, readable(uri));
}

function bones() {
  return h("div", { class: "bones", "aria-hidden": "true" }, ...Array.from({ length: 9 }, () => h("i")));
}
