// Past conversations: listed, opened, renamed, deleted.
import { call, forgive } from "../api.js";
import { faultText } from "../fault.js";
import { harmless } from "../reader/marks.js";
import { isNarrow, showPanel } from "../side.js";
import { spoken } from "../texts.js";
import { announce, byId, h, icon, label, remember, remembered, say } from "../view.js";
import { current } from "./current.js";
import { openConversation } from "./thread.js";

const AT_ONCE = 30;
const MOST_AT_ONCE = 200;
let listed = [];
let next = "";
let isListed = false;
let doomed = null;
// The conversation whose title is being written, or null: its row is left alone until that is over.
let edited = null;

/** Let the panel be opened and closed, and conversations be begun, opened, renamed and deleted. */
export function beginConversations() {
  byId("talks-switch").addEventListener("click", () => open(byId("talks").hidden));
  byId("talks-close").addEventListener("click", () => open(false));
  byId("talk-new").addEventListener("click", () => choose(""));
  byId("talks-more").addEventListener("click", () => tried(more));
  byId("talks").addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.target.matches("input")) return;
    event.stopPropagation();
    open(false);
  });
  byId("deleting").addEventListener("close", () => {
    if (byId("deleting").returnValue === "yes") tried(() => remove(doomed));
  });
  showPanel(!isNarrow() && remembered("talks") !== "closed");
}

/** Do something with a conversation; that it could not be done is said above the list. */
async function tried(work) {
  byId("talks-fault").textContent = "";
  try {
    await work();
  } catch (error) {
    forgive(error);
    say(byId("talks-fault"), ...faultText(error));
  }
}

function open(isShown) {
  showPanel(isShown);
  if (!isNarrow()) remember("talks", isShown ? "open" : "closed");
  (isShown ? byId("talk-new") : byId("talks-switch")).focus();
}

/** List the caller's conversations anew, the last one talked in first: as many as were listed already. */
export async function listConversations() {
  let found;
  try {
    found = await first(Math.max(AT_ONCE, listed.length));
  } catch (error) {
    // Where there is a list already, what was asked for tells that the service is away.
    if (!listed.length) say(byId("talks-fault"), ...faultText(error));
    throw error;
  }
  if (!listed.length) byId("talks-fault").textContent = "";
  listed = found.items;
  next = found.next;
  isListed = true;
  const note = byId("talks-kept");
  note.hidden = found.kept === "stored";
  if (!note.hidden) say(note, "talks_memory", { hours: found.hours });
  draw();
}

/** Return the first conversations, at least so many where there are, and how the next are asked for. */
async function first(least) {
  const items = [];
  for (let cursor = ""; ; ) {
    const limit = Math.min(MOST_AT_ONCE, least - items.length);
    const found = await call(`v1/conversations?everywhere=true&limit=${limit}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
    items.push(...found.items);
    cursor = found.next;
    if (!cursor || items.length >= least) return { ...found, items };
  }
}

/** Say the times of the list in the language of the page. */
export function retellConversations() {
  draw();
}

/** Tell whether a conversation is known to be gone: the list is whole and does not have it. */
export function isGone(id) {
  return isListed && !next && !listed.some((each) => each.id === id);
}

async function more() {
  const found = await call(`v1/conversations?everywhere=true&limit=${AT_ONCE}&cursor=${encodeURIComponent(next)}`);
  const known = new Set(listed.map((each) => each.id));
  const first = found.items.find((each) => !known.has(each.id));
  listed = [...listed, ...found.items.filter((each) => !known.has(each.id))];
  next = found.next;
  draw();
  rowOf(first?.id)?.querySelector(".talk-open").focus();
}

function draw() {
  // One without a title has no answer yet: it was begun and nothing came of it.
  const shown = listed.filter((each) => each.title || each.id === current());
  if (!edited) redrawn(() => byId("talks-list").replaceChildren(...shown.map(row)));
  byId("talks-none").hidden = shown.length > 0;
  byId("talks-more").hidden = !next;
}

/** Draw the list anew; a button of it that had the focus has it still. */
function redrawn(act) {
  const held = document.activeElement;
  const before = held?.closest("#talks-list .talk");
  const at = before ? [...before.querySelectorAll("button")].indexOf(held) : -1;
  act();
  if (at >= 0) rowOf(before.dataset.id)?.querySelectorAll("button")[at]?.focus({ preventScroll: true });
}

function row(known) {
  const isOpen = known.id === current();
  const title = known.title ? h("span", { class: "talk-title" }, known.title) : h("span", { class: "talk-title", say: "untitled" });
  const when = said(new Date(known.updated));
  const name = h("button", { type: "button", class: "talk-open", "aria-current": isOpen ? "true" : null, on: { click: () => choose(known.id) } }, title, h("span", { class: "talk-when" }, when));
  const act = (kind, key, work) => {
    const made = h("button", { type: "button", class: `quiet small talk-${kind}`, on: { click: work } }, icon(kind));
    label(made, key, { title: known.title });
    return made;
  };
  return h("li", { class: "talk", "data-id": known.id }, name, act("rename", "rename", () => edit(known)), act("delete", "delete", () => doom(known)));
}

/** Return a time as it is said: of today the hour, else the day. */
function said(time) {
  const isToday = time.toDateString() === new Date().toDateString();
  return new Intl.DateTimeFormat(spoken(), isToday ? { timeStyle: "short" } : { dateStyle: "medium" }).format(time);
}

function rowOf(id) {
  return [...byId("talks-list").children].find((each) => each.dataset.id === id);
}

async function choose(id) {
  if (isNarrow()) showPanel(false);
  byId("talks-fault").textContent = "";
  try {
    await openConversation(id);
    announce(id ? "talk_opened" : "talk_begun");
  } catch (error) {
    // It is said where the conversation would stand.
    forgive(error);
  }
  draw();
  byId("question").focus();
}

function edit(known) {
  const place = rowOf(known.id);
  const field = h("input", { class: "talk-name", maxlength: 120, autocomplete: "off", dir: "auto", label: "new_title" });
  field.value = known.title;
  const end = async (isKept, goesBack) => {
    if (edited !== known) return;
    edited = null;
    const title = field.value.trim();
    // That row alone is drawn anew: another one may be under a pressed mouse at this moment.
    const redraw = () => rowOf(known.id)?.replaceWith(row(listed.find((each) => each.id === known.id) ?? known));
    redraw();
    if (goesBack) rowOf(known.id)?.querySelector(".talk-rename").focus();
    if (!isKept || !title || title === known.title) return;
    await tried(() => rename(known, title));
    const isHeld = rowOf(known.id)?.querySelector(".talk-rename") === document.activeElement;
    redraw();
    if (isHeld) rowOf(known.id)?.querySelector(".talk-rename").focus();
  };
  field.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "Enter") end(true, true);
    else if (event.key === "Escape") end(false, true);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  // Who leaves the field is somewhere else already.
  field.addEventListener("blur", () => end(true, false));
  edited = known;
  place.style.minHeight = `${place.offsetHeight}px`;
  place.replaceChildren(field);
  field.focus();
  field.select();
}

async function rename(known, title) {
  const path = `v1/conversations/${encodeURIComponent(known.id)}`;
  const renamed = await call(path, { method: "PATCH", body: { title } });
  listed = listed.map((each) => (each.id === renamed.id ? renamed : each));
  announce("renamed", { title });
}

function doom(known) {
  doomed = known;
  byId("deleting-what").textContent = harmless(known.title);
  byId("deleting").returnValue = "";
  byId("deleting").showModal();
}

async function remove(known) {
  const place = listed.findIndex((each) => each.id === known.id);
  await call(`v1/conversations/${encodeURIComponent(known.id)}`, { method: "DELETE" });
  listed = listed.filter((each) => each.id !== known.id);
  if (known.id === current()) await openConversation("");
  draw();
  announce("deleted");
  const after = byId("talks-list").children[Math.min(place, byId("talks-list").children.length - 1)];
  (after?.querySelector(".talk-open") ?? byId("talk-new")).focus();
}
