// The page: what is there at the start, and what the keys do.
import { beginAdding } from "./shelf/adding.js";
import { forgive, onStranger } from "./api.js";
import { beginPerson, showPerson } from "./person.js";
import { keepPlace, restoreBeside, restoreDraft } from "./place.js";
import { forget, step } from "./reader/document.js";
import { showDocuments } from "./shelf/documents.js";
import { beginShelf, listed, refresh, wanted, wantedAgent } from "./shelf/shelf.js";
import { follow } from "./shelf/tray.js";
import { closeSide, isOpen, watchWidth } from "./side.js";
import { beginConversations, isGone, listConversations, retellConversations } from "./talk/conversations.js";
import { current, setCurrent } from "./talk/current.js";
import { offerExamples } from "./talk/examples.js";
import { ask, beginThread, isAsking, restore, stop } from "./talk/thread.js";
import { speak, spoken } from "./texts.js";
import { byId, noteBelow, remember, remembered, translate } from "./view.js";

const ROWS_PX = 180;
const LONGEST_QUESTION = 2000;

function setLanguage(wantedLanguage) {
  speak(wantedLanguage);
  document.documentElement.lang = spoken();
  const other = byId("other");
  other.textContent = spoken() === "ko" ? "EN" : "한국어";
  other.lang = spoken() === "ko" ? "en" : "ko";
  translate();
}

function flipLanguage() {
  setLanguage(spoken() === "ko" ? "en" : "ko");
  remember("language", spoken());
  retellConversations();
}

function flipTheme() {
  const root = document.documentElement;
  const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
  remember("theme", root.dataset.theme);
}

function fit() {
  const field = byId("question");
  field.style.height = "auto";
  field.style.height = `${Math.min(field.scrollHeight, ROWS_PX)}px`;
}

/** Tell whether the question is one that the service takes; that it is too long is said while it is. */
function isShort() {
  const count = [...byId("question").value.trim()].length;
  if (count > LONGEST_QUESTION) noteBelow("question_too_long", { count, most: LONGEST_QUESTION });
  else if (byId("ask-note").dataset.text === "question_too_long") noteBelow(null);
  return count <= LONGEST_QUESTION;
}

function send() {
  const field = byId("question");
  const question = field.value;
  if (isAsking() || !question.trim() || !isShort()) return;
  field.value = "";
  fit();
  ask(question);
}

function beginComposer() {
  const field = byId("question");
  field.addEventListener("input", () => {
    fit();
    isShort();
  });
  field.addEventListener("keydown", (event) => {
    // While a syllable is being composed, Enter belongs to the input method.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    send();
  });
  byId("composer").addEventListener("submit", (event) => {
    event.preventDefault();
    send();
  });
  byId("stop").addEventListener("click", stop);
}

/** Tell whether the arrow keys scroll what has the focus: a table may be wider than its place. */
function scrollsAcross(focused) {
  for (let each = focused; each instanceof Element; each = each.parentElement) {
    if (each.scrollWidth > each.clientWidth && /auto|scroll/.test(getComputedStyle(each).overflowX)) return true;
  }
  return false;
}

function beginKeys() {
  document.addEventListener("keydown", (event) => {
    if (document.querySelector("dialog[open]") || event.ctrlKey || event.metaKey || event.altKey) return;
    const isWriting = event.target.matches("input, textarea, select");
    if (event.key === "/" && !isWriting) {
      event.preventDefault();
      byId("question").focus();
    } else if (event.key === "Escape") {
      if (!closeSide()) stop();
    } else if (isOpen() && !isWriting && (event.key === "ArrowRight" || event.key === "ArrowLeft") && !scrollsAcross(event.target)) {
      if (step(event.key === "ArrowRight" ? 1 : -1)) event.preventDefault();
    }
  });
}

function showDoor() {
  if (!byId("door").hidden) return;
  byId("door").hidden = false;
  byId("room").hidden = true;
  closeSide();
  document.querySelectorAll("dialog[open]").forEach((each) => each.close());
  document.body.classList.add("shut");
  byId("door-title").focus();
}

async function lookAround() {
  const bases = await refresh();
  const chosen = new Set(wanted());
  const asked = bases.filter((base) => !chosen.size || chosen.has(base.name));
  // They are tried before they are shown, which takes a moment that nothing waits for.
  offerExamples(asked, ask).catch(forgive);
}

function look() {
  return lookAround().catch(forgive);
}

async function begin() {
  setLanguage(remembered("language") || (navigator.language.startsWith("ko") ? "ko" : "en"));
  byId("language").addEventListener("click", flipLanguage);
  byId("theme-switch").addEventListener("click", flipTheme);
  byId("door-again").addEventListener("click", () => location.reload());
  beginPerson(showDoor);
  onStranger(showDoor);
  watchWidth(forget);
  beginThread(wanted, wantedAgent, () => listConversations().catch(forgive));
  beginShelf((base) => showDocuments(base).catch(forgive));
  beginAdding(look);
  beginComposer();
  beginKeys();
  beginConversations();
  await Promise.all([look(), showPerson().catch(forgive), listConversations().catch(forgive)]);
  // It is written back to whoever wrote it, which is known by now, and not before a door.
  if (byId("door").hidden) restoreDraft();
  fit();
  if (isGone(current())) setCurrent("");
  await restore().catch(forgive);
  byId("question").focus();
  await restoreBeside().catch(forgive);
  keepPlace();
  document.documentElement.dataset.ready = String(listed().length);
  if (!byId("door").hidden) return byId("door-title").focus();
  return follow(look).catch(forgive);
}

begin();
