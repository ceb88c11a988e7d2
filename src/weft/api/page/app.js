// The page: what is there at the start, and what the keys do.
import { beginAdding } from "./adding.js";
import { call, forgive, onStranger } from "./api.js";
import { step } from "./document.js";
import { offerExamples } from "./examples.js";
import { beginShelf, listed, refresh, wanted, wantedAgent } from "./shelf.js";
import { closeSide, isOpen, watchWidth } from "./side.js";
import { speak, spoken } from "./texts.js";
import { ask, beginThread, clear, isAsking, restore, stop } from "./thread.js";
import { follow } from "./tray.js";
import { byId, remember, remembered, translate } from "./view.js";

const ROWS_PX = 180;

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

function send() {
  const field = byId("question");
  const question = field.value;
  if (isAsking() || !question.trim()) return;
  field.value = "";
  fit();
  ask(question);
}

function beginComposer() {
  const field = byId("question");
  field.addEventListener("input", fit);
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

function beginKeys() {
  document.addEventListener("keydown", (event) => {
    if (document.querySelector("dialog[open]") || event.ctrlKey || event.metaKey || event.altKey) return;
    const isWriting = event.target.matches("input, textarea, select");
    if (event.key === "/" && !isWriting) {
      event.preventDefault();
      byId("question").focus();
    } else if (event.key === "Escape") {
      if (!closeSide()) stop();
    } else if (isOpen() && !isWriting && (event.key === "ArrowRight" || event.key === "ArrowLeft")) {
      if (step(event.key === "ArrowRight" ? 1 : -1)) event.preventDefault();
    }
  });
}

function beginClearing() {
  const dialog = byId("clearing");
  byId("clear").addEventListener("click", () => {
    dialog.returnValue = "";
    dialog.showModal();
  });
  dialog.addEventListener("close", () => {
    if (dialog.returnValue === "yes") clear().catch(forgive);
  });
}

function showDoor() {
  if (!byId("door").hidden) return;
  byId("door").hidden = false;
  byId("room").hidden = true;
  closeSide();
  byId("top").inert = true;
  byId("door-title").focus();
}

async function lookAround() {
  const bases = await refresh();
  const chosen = new Set(wanted());
  const asked = bases.filter((base) => !chosen.size || chosen.has(base.name));
  await offerExamples(asked, ask);
}

function look() {
  return lookAround().catch(forgive);
}

async function begin() {
  setLanguage(remembered("language") || (navigator.language.startsWith("ko") ? "ko" : "en"));
  byId("language").addEventListener("click", flipLanguage);
  byId("theme-switch").addEventListener("click", flipTheme);
  byId("door-again").addEventListener("click", () => location.reload());
  byId("sign-out").addEventListener("click", () => call("v1/sign-out", { method: "POST" }).then(showDoor, forgive));
  onStranger(showDoor);
  watchWidth();
  beginThread(wanted, wantedAgent);
  beginShelf();
  beginAdding(look);
  beginComposer();
  beginKeys();
  beginClearing();
  await Promise.all([restore().catch(forgive), look()]);
  document.documentElement.dataset.ready = String(listed().length);
  if (!byId("door").hidden) return;
  byId("question").focus();
  await follow(look).catch(forgive);
}

begin();
