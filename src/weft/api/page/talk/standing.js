// How a question stands that has no answer: being looked into, ended, or failed.
import { faultText } from "../fault.js";
import { h } from "../view.js";

/** Return what stands in place of an answer while it is worked on. */
export function loom(key = "working") {
  return h(
    "div",
    { class: "loom" },
    h("p", { class: "now-doing", say: key }),
    h("div", { class: "bones", "aria-hidden": "true" }, h("i"), h("i"), h("i")),
  );
}

/** Return that a question was ended; `again` asks it once more. */
export function ended(key, again) {
  return h("p", { class: "hint" }, h("span", { say: key }), " ", againButton(again));
}

/** Return why a question has no answer; `again` asks it once more. */
export function failure(error, again) {
  const why = h("p", { class: "hint", say: faultText(error, "unreachable") });
  return h("div", { class: "fault", role: "alert" }, h("p", { say: "failed" }), why, againButton(again));
}

function againButton(again) {
  return h("button", { type: "button", class: "quiet small", on: { click: again } }, h("span", { say: "again" }));
}
