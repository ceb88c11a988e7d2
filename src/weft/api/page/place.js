// Where somebody was on the page, kept for this tab: a page that is loaded anew shows the same.
import { openPlace, resumeAt, step } from "./reader/document.js";
import { showAgain } from "./shelf/documents.js";
import { isOpen, sideOpener } from "./side.js";
import { byId, keep, kept } from "./view.js";

/** Keep the draft of the question and what stands beside the answers when the page goes. */
export function keepPlace() {
  addEventListener("pagehide", () => {
    // Before the door stands whoever comes next.
    if (!byId("door").hidden) return;
    keep("draft", byId("question").value);
    keep("side", isOpen() ? JSON.stringify(besides()) : "");
  });
}

function besides() {
  const scroll = byId("side-body").scrollTop;
  const isListed = byId("side").dataset.kind === "documents" || byId("side-back") !== null;
  const known = parsed(kept("side"));
  if (isListed && known?.kind === "documents") return { ...known, scroll };
  return { kind: "thread", opener: openers().indexOf(sideOpener()), at: openPlace(), scroll };
}

/** Return what in the conversation can open something beside it, in order. */
function openers() {
  return [...byId("thread").querySelectorAll("button")];
}

/** Write the draft back. */
export function restoreDraft() {
  byId("question").value = kept("draft") ?? "";
}

/** Show beside the answers what stood there. */
export async function restoreBeside() {
  const known = parsed(kept("side"));
  if (!known) return;
  resumeAt(known.scroll ?? 0);
  if (known.kind === "documents") return showAgain(known);
  const opener = openers()[known.opener];
  if (!opener) return;
  for (let fold = opener.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  opener.focus();
  opener.click();
  step(known.at - openPlace());
}

function parsed(text) {
  try {
    return text ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}
