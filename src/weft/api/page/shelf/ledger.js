// The ledger of a knowledge base: what became of every file, why, and what to do about it.
import { call, forgive } from "../api.js";
import { faultText } from "../fault.js";
import { forget } from "../reader/document.js";
import { openSide } from "../side.js";
import { announce, byId, h, icon } from "../view.js";
import { baseName } from "./shelf.js";

const AT_ONCE = 50;
const PAUSE_MS = 250;
const ALL = "";
const UNREAD = "unread";
let open = null;

/** Show the ledger of a knowledge base beside the answers; `back` returns to its documents. */
export async function showLedger(kb, back) {
  forget();
  const view = (open = { kb, q: "", state: ALL, next: "", count: 0 });
  const field = h("input", { type: "search", id: "ledger-search", autocomplete: "off", dir: "auto", label: "ledger_search", "data-placeholder": "ledger_search", on: { input: () => later(view) } });
  const choice = h("select", { id: "ledger-state", label: "ledger_state", on: { change: () => choose(view).catch(forgive) } });
  const head = ["ledger_file", "ledger_documents", "ledger_chunks", "ledger_characters"];
  const columns = h("tr", {}, ...head.map((say) => h("th", { scope: "col", say })));
  const table = h("table", { class: "ledger" }, h("caption", { class: "hint", id: "ledger-sums" }), h("thead", {}, columns), h("tbody", { id: "ledger-rows" }));
  const more = h("button", { type: "button", class: "quiet", id: "ledger-more", hidden: true, on: { click: () => load(view).catch(forgive) } }, h("span", { say: "show_more" }));
  const none = h("p", { class: "hint", id: "ledger-none", hidden: true, say: "ledger_none" });
  const body = [h("div", { class: "ledger-filter" }, field, choice), h("div", { class: "wide-table", tabindex: "0" }, table), none, more];
  const home = h("button", { type: "button", class: "quiet small", id: "side-back", on: { click: back } }, icon("left"), h("span", { say: "back" }));
  openSide({ title: (heading) => heading.append(baseName(kb)), tools: [home], body, kind: "ledger" });
  field.placeholder = field.getAttribute("aria-label");
  byId("side-title").focus();
  await load(view);
}

function later(view) {
  clearTimeout(view.timer);
  view.timer = setTimeout(() => choose(view).catch(forgive), PAUSE_MS);
}

async function choose(view) {
  [view.q, view.state] = [byId("ledger-search").value.trim(), byId("ledger-state").value];
  [view.next, view.count] = ["", 0];
  await load(view);
  announce("ledger_found", { count: view.found ?? 0 });
}

async function load(view) {
  const { q, state, next } = view;
  const wanted = new URLSearchParams({ limit: AT_ONCE, q, cursor: next });
  if (state === UNREAD) wanted.set("unread", "true");
  else if (state) wanted.set("status", state);
  let found;
  try {
    found = await call(`v1/kb/${encodeURIComponent(view.kb)}/ledger?${wanted}`);
  } catch (error) {
    if (open === view) byId("ledger-rows")?.replaceChildren(h("tr", {}, h("td", { class: "fault", colspan: 4, say: faultText(error) })));
    return;
  }
  // What was asked for in the meantime is shown instead.
  if (open !== view || view.q !== q || view.state !== state || view.next !== next || !byId("ledger-rows")) return;
  const rows = found.files.flatMap(rowsOf);
  if (next) byId("ledger-rows").append(...rows);
  else byId("ledger-rows").replaceChildren(...rows);
  view.count += found.files.length;
  [view.next, view.found] = [found.next, found.found];
  byId("ledger-more").hidden = !found.next;
  byId("ledger-none").hidden = view.count > 0;
  if (found.totals) sums(found.totals);
  states(view, found.statuses);
}

/** Return a file's row and, where something is to be said of it, one below. */
function rowsOf({ path, status, reason, advice, documents, chunks, characters, left_out: isLeftOut }) {
  const state = status === "read" ? h("span", { class: "state", say: "ledger_read" }) : h("span", { class: "badge", say: isLeftOut ? "ledger_left_out" : `unread_${status}` });
  const numbers = [documents, chunks, characters].map((count) => h("td", { class: "figure" }, count.toLocaleString()));
  const row = h("tr", {}, h("th", { scope: "row" }, h("span", { class: "path" }, path), state), ...numbers);
  if (!reason && !advice) return [row];
  const said = [reason && h("span", {}, reason), advice && h("span", { class: "advice" }, advice)].filter(Boolean);
  return [row, h("tr", { class: "said" }, h("td", { colspan: 4 }, ...said))];
}

function sums({ files, documents, chunks, characters }) {
  byId("ledger-sums").replaceChildren(h("span", { say: ["ledger_sums", { files, documents, chunks, characters }] }));
}

/** Offer the states that some file has, with how many have it. */
function states(view, statuses) {
  const all = Object.values(statuses).reduce((sum, count) => sum + count, 0);
  const unread = all - (statuses.read ?? 0);
  const option = (value, key, count) => h("option", { value, selected: view.state === value, say: [key, { count }] });
  const named = Object.entries(statuses).map(([status, count]) => option(status, `ledger_of_${status}`, count));
  byId("ledger-state").replaceChildren(option(ALL, "ledger_all", all), option(UNREAD, "ledger_unread", unread), ...named);
}
