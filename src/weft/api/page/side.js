// The side: what stands beside the answers, one thing at a time.
import { byId } from "./view.js";

const narrow = matchMedia("(max-width: 60rem)");
let opener = null;
let closed = () => {};
// Whether the panel of conversations was open before the page became narrow.
let isFolded = false;
// Whether something covers a narrow page: a place of its own, which the browser's way back leads out of.
let isOver = false;

/**
 * Show something beside the answers; `title` takes the heading, `tools` the buttons next to it, `from` is
 * the button that opened it, where it was not one beside the answers.
 */
export function openSide({ title, tools = [], body, kind, from = null }) {
  const side = byId("side");
  if (from || side.hidden) opener = from ?? document.activeElement;
  side.dataset.kind = kind;
  const heading = byId("side-title");
  delete heading.dataset.text;
  heading.replaceChildren();
  title(heading);
  byId("side-tools").replaceChildren(...tools);
  byId("side-body").replaceChildren(...body);
  byId("side-body").scrollTop = 0;
  side.hidden = false;
  document.body.classList.add("beside");
  settle();
}

/** Close the side and go back to where it was opened from. */
export function closeSide() {
  const side = byId("side");
  if (side.hidden) return false;
  side.hidden = true;
  document.body.classList.remove("beside");
  settle();
  closed();
  (opener?.isConnected && opener.checkVisibility() ? opener : byId("question")).focus();
  return true;
}

/** Tell whether something stands beside the answers. */
export function isOpen() {
  return !byId("side").hidden;
}

/** Return what the side was opened from, where that is still there. */
export function sideOpener() {
  return opener?.isConnected ? opener : null;
}

/** Let the side cover a narrow page, and nothing behind it be reached; `act` runs when it closes. */
export function watchWidth(act) {
  closed = act;
  narrow.addEventListener("change", () => (narrow.matches ? fold() : unfold()));
  addEventListener("popstate", back);
  byId("side-close").addEventListener("click", closeSide);
}

/** Tell whether the page is so narrow that what stands beside it covers it. */
export function isNarrow() {
  return narrow.matches;
}

/** Show or hide the panel of conversations; on a narrow page it covers the rest. */
export function showPanel(isShown) {
  byId("talks").hidden = !isShown;
  byId("talks-switch").setAttribute("aria-expanded", String(isShown));
  document.body.classList.toggle("listing", isShown);
  settle();
}

/** What stood next to the room would cover it now: the list is put away, and the focus stays in sight. */
function fold() {
  isFolded = !byId("talks").hidden;
  const held = document.activeElement;
  if (isFolded) showPanel(false);
  else settle();
  if (isOpen()) {
    if (!byId("side").contains(held)) byId("side-title").focus();
  } else if (byId("talks").contains(held)) byId("talks-switch").focus();
}

function unfold() {
  if (isFolded) showPanel(true);
  else settle();
  isFolded = false;
}

function settle() {
  const isCovered = narrow.matches && isOpen();
  const isListing = narrow.matches && !byId("talks").hidden;
  byId("room").inert = isCovered || isListing;
  byId("side").inert = isListing && isOpen();
  byId("top").inert = isCovered || isListing;
  // The question cannot be reached then.
  byId("skip").hidden = isCovered || isListing;
  place(isCovered || isListing);
}

/** Let what covers the page be left by the way back, once, and be forgotten where it was closed otherwise. */
function place(isCovering) {
  const wasOver = isOver;
  isOver = isCovering;
  if (isCovering && !history.state?.over) history.pushState({ over: true }, "");
  else if (!isCovering && wasOver && history.state?.over) history.back();
}

/** Close what is on top, where the browser went back from it. */
function back() {
  if (!isOver || history.state?.over) return;
  if (byId("talks").hidden) closeSide();
  else {
    showPanel(false);
    byId("talks-switch").focus();
  }
}
