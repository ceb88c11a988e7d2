// The documents of a knowledge base: who may read each, and what became of it.
import { call, forgive } from "../api.js";
import { faultText } from "../fault.js";
import { forget, showDocument } from "../reader/document.js";
import { openSide } from "../side.js";
import { announce, byId, h, keep } from "../view.js";
import { showLedger } from "./ledger.js";
import { baseName } from "./shelf.js";

const AT_ONCE = 40;
const MOST_AT_ONCE = 200;
const PAUSE_MS = 250;
const EVERYONE = "tenant:*";
let open = null;

/** Show the documents of a knowledge base beside the answers; `q` narrows them. */
export async function showDocuments(kb, { q = "", place = 0, focus = true } = {}) {
  forget();
  const view = (open = { kb, q, next: "", count: 0 });
  const again = () => showDocuments(kb, { q: view.q }).catch(forgive);
  const list = h("ul", { class: "documents", id: "documents" });
  const field = h("input", { type: "search", id: "documents-search", autocomplete: "off", dir: "auto", label: "search_documents", "data-placeholder": "search_documents", on: { input: () => later(view) } });
  field.value = q;
  const more = h("button", { type: "button", class: "quiet", id: "documents-more", hidden: true, on: { click: () => load(view).catch(forgive) } }, h("span", { say: "show_more" }));
  const whole = h("button", { type: "button", class: "quiet small", id: "documents-ledger", on: { click: () => showLedger(kb, again).catch(forgive) } }, h("span", { say: "ledger_open" }));
  const body = [field, h("p", { class: "hint", id: "documents-none", hidden: true }), list, more, h("div", { id: "documents-unread" })];
  openSide({ title: (heading) => heading.append(baseName(kb)), tools: [whole], body, kind: "documents" });
  field.placeholder = field.getAttribute("aria-label");
  if (focus) byId("side-title").focus();
  note(view);
  await load(view, { limit: Math.max(AT_ONCE, place + 1), focus: place });
  let goesOn = true;
  while (goesOn && view.next && view.count <= place) goesOn = await load(view, { limit: place + 1 - view.count, focus: place });
  await unread(view).catch(forgive);
}

/** Show the documents, or one of them, as they were before the page was loaded anew. */
export async function showAgain({ kb, q, doc }) {
  if (doc) return showOne({ kb, q }, doc);
  return showDocuments(kb, { q, focus: false });
}

function note({ kb, q }, doc = null) {
  keep("side", JSON.stringify({ kind: "documents", kb, q, doc }));
}

function later(view) {
  clearTimeout(view.timer);
  view.timer = setTimeout(() => search(view).catch(forgive), PAUSE_MS);
}

async function search(view) {
  view.q = byId("documents-search").value.trim();
  [view.next, view.count] = ["", 0];
  note(view);
  await load(view);
  announce("documents_found", { count: view.count });
}

/** Show the next documents; returns whether they are there. */
async function load(view, { limit = AT_ONCE, focus = null } = {}) {
  const { kb, q, next } = view;
  const path = `v1/kb/${encodeURIComponent(kb)}/documents?limit=${Math.min(MOST_AT_ONCE, limit)}&q=${encodeURIComponent(q)}`;
  let found;
  try {
    found = await call(`${path}&cursor=${encodeURIComponent(next)}`);
  } catch (error) {
    if (open === view) failed(error, next);
    return false;
  }
  // What was asked for in the meantime is shown instead.
  if (open !== view || view.q !== q || view.next !== next || !byId("documents")) return false;
  byId("documents").querySelector(":scope > .fault")?.remove();
  const rows = found.items.map((each, at) => row(view, each, view.count + at));
  if (next) byId("documents").append(...rows);
  else byId("documents").replaceChildren(...rows);
  if (next && focus === null) rows[0]?.querySelector("button").focus();
  view.count += rows.length;
  view.next = found.next;
  byId("documents-more").hidden = !found.next;
  const none = byId("documents-none");
  none.hidden = view.count > 0;
  none.replaceChildren(h("span", { say: q ? ["documents_none_for", { q }] : "documents_none" }));
  if (focus) byId("documents").children[focus]?.querySelector("button").focus();
  return true;
}

/** Say that documents could not be listed; those that came before stay. */
function failed(error, next) {
  const told = h("li", { class: "fault", role: "alert", say: faultText(error) });
  byId("documents")?.querySelector(":scope > .fault")?.remove();
  if (next) byId("documents")?.append(told);
  else byId("documents")?.replaceChildren(told);
}

function row(view, known, place) {
  const title = h("span", { class: "document-title" }, known.title || known.id);
  const about = h("span", { class: "document-about" }, readers(known.acl), state(known));
  const show = () => showOne(view, { id: known.id, title: known.title, place });
  const parts = [h("button", { type: "button", class: "document", on: { click: show } }, title, about)];
  if (known.reason) parts.push(h("p", { class: "document-reason" }, known.reason));
  return h("li", {}, ...parts);
}

function showOne(view, doc) {
  note(view, doc);
  const back = () => showDocuments(view.kb, { q: view.q, place: doc.place }).catch(forgive);
  return showDocument({ kb: view.kb, doc_id: doc.id, title: doc.title }, back);
}

function readers(acl) {
  if (acl.includes(EVERYONE)) return h("span", { say: "readers_everyone" });
  const who = acl.map((each) => each.replace(/^(user|group):/, "")).join(", ");
  return h("span", { say: ["readers", { who }] });
}

function state({ chunks, status }) {
  if (status && status !== "read") return h("span", { class: "badge", say: `unread_${status}` });
  return h("span", { say: ["passages", { count: chunks }] });
}

/** Show, folded, the files that gave no text and why. */
async function unread(view) {
  const { files } = await call(`v1/kb/${encodeURIComponent(view.kb)}/ledger?unread=true&limit=200`);
  if (open !== view || !files.length) return;
  const lines = files.map(({ path, status, reason }) =>
    h("li", {}, h("span", { class: "path" }, path), h("span", { say: `unread_${status}` }), reason ? h("span", { class: "document-reason" }, reason) : null));
  const name = h("summary", { say: ["documents_unread", { count: files.length }] });
  byId("documents-unread")?.replaceChildren(h("details", { class: "unread" }, name, h("ul", {}, ...lines)));
}
