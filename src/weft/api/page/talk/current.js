// Which conversation this page is in, and which of its questions are still being answered.
import { call } from "../api.js";
import { keep, kept, remember, remembered } from "../view.js";

const MOST_RUNNING = 20;

let open = null;

/** Return the id of the open conversation, or an empty text for one that is not begun. */
export function current() {
  // What another tab opens later is remembered in the browser too, and is not shown here.
  open ??= kept("conversation") ?? remembered("conversation");
  return open;
}

/** Let this tab show the same conversation when it is loaded anew; returns its id. */
export function settled() {
  keep("conversation", current());
  return current();
}

/** Open a conversation, here and for whoever comes back to this browser. */
export function setCurrent(id) {
  open = id;
  keep("conversation", id);
  remember("conversation", id);
}

/** Return the open conversation's id, begun if it is not yet. */
export async function begun() {
  if (!current()) setCurrent((await call("v1/conversations", { method: "POST", body: {} })).id);
  return current();
}

/** Return the question that is being answered in a conversation: {run, question}, or undefined. */
export function running(conversation) {
  return all()[conversation];
}

/** Note that a question is being answered in a conversation; nothing (null) that it is no more. */
export function setRunning(conversation, known) {
  const { [conversation]: _, ...others } = all();
  const rest = Object.entries(others).slice(-MOST_RUNNING);
  const entries = known ? [...rest, [conversation, known]] : rest;
  remember("running", JSON.stringify(Object.fromEntries(entries)));
}

function all() {
  try {
    return JSON.parse(remembered("running") || "{}");
  } catch {
    return {};
  }
}
