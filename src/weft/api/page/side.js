// The side: what stands beside the answer, one thing at a time.
import { byId } from "./view.js";

const narrow = matchMedia("(max-width: 60rem)");
let opener = null;

/** Show something beside the answers; `title` takes the heading, `tools` the buttons next to it. */
export function openSide({ title, tools = [], body }) {
  const side = byId("side");
  if (side.hidden) opener = document.activeElement;
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
  (opener?.isConnected ? opener : byId("question")).focus();
  return true;
}

/** Tell whether something stands beside the answers. */
export function isOpen() {
  return !byId("side").hidden;
}

/** Let the side cover a narrow page, and nothing behind it be reached. */
export function watchWidth() {
  narrow.addEventListener("change", settle);
  byId("side-close").addEventListener("click", closeSide);
}

function settle() {
  for (const name of ["room", "top"]) byId(name).inert = isOpen() && narrow.matches;
}
