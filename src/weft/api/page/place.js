// Where somebody was on the page, kept for this tab: a page that is loaded anew shows the same.
import { person } from "./person.js";
import { openPlace, resumeAt, step } from "./reader/document.js";
import { showAgain } from "./shelf/documents.js";
import { isOpen, sideOpener } from "./side.js";
import { byId, keep, kept } from "./view.js";

/** Keep the draft of the question and what stands beside the answers when the page goes. */
export function keepPlace() {
  addEventListener("pagehide", () => {
    // Before a door that nobody came through yet, what was kept waits for its person.
    if (!person()) return;
    keep("draft", byId("question").value);
    keep("side", isOpen() ? JSON.stringify(besides()) : "");
  });
}

function besides() {
  const scroll = byId("side-body").scrollTop;
  const isListed = byId("side").dataset.kind === "documents" || byId("side-back") !== null;
  const known = parsed(kept("side"));
  if (isListed && known?.kind === "documents") return { ...known, scroll };
  const from = sideOpener();
  return { kind: "thread", run: from?.closest("[data-run]")?.dataset.run, opens: from?.dataset.opens, at: openPlace(), scroll };
}

/** Return what in the conversation opens something beside it, by its answer's run and by its name there. */
function openerOf({ run, opens }) {
  const answer = [...byId("thread").querySelectorAll("[data-run]")].find((each) => each.dataset.run === run);
  return answer && [...answer.querySelectorAll("[data-opens]")].find((each) => each.dataset.opens === opens);
}

/** Write the draft back, unless something is written already. */
export function restoreDraft() {
  byId("question").value ||= kept("draft") ?? "";
}

/** Show beside the answers what stood there. */
export async function restoreBeside() {
  const known = parsed(kept("side"));
  if (!known) return;
  resumeAt(known.scroll ?? 0);
  if (known.kind === "documents") return showAgain(known);
  const opener = openerOf(known);
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
