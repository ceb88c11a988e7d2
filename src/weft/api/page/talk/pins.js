// Which thing a name means, as the person chose it: chips under an answer, kept with the conversation.
import { baseName } from "../shelf/shelf.js";
import { h, remember, remembered } from "../view.js";

const MOST = 20;

/** Return the choices of a conversation as the service takes them. */
export function pinsOf(conversation) {
  return all()[conversation] ?? [];
}

/** Keep a choice; the conversation's earlier one for the same name is gone. */
function pin(conversation, choice) {
  const others = pinsOf(conversation).filter((each) => each.question_entity !== choice.question_entity);
  const { [conversation]: _, ...rest } = all();
  const kept = Object.entries(rest).slice(1 - MOST);
  const own = [...others, choice].slice(-MOST);
  remember("pins", JSON.stringify(Object.fromEntries([...kept, [conversation, own]])));
}

function all() {
  try {
    return JSON.parse(remembered("pins") || "{}");
  } catch {
    return {};
  }
}

/** Return a choice for each name that may mean several things; `ask` asks again once one is made. */
export function chipsView(context, conversation, ask) {
  const open = context.matches.filter((each) => each.candidates.length > 1);
  const pinned = new Set(context.overrides_applied.map((each) => each.node_id));
  return open.map((each) => which(each, { pinned, conversation, ask }));
}

function which({ question_entity: name, candidates }, { pinned, conversation, ask }) {
  const chips = candidates.map((each) => {
    const { database, node_id: node, display_name: called, labels, titles } = each;
    const choice = { question_entity: name, database, node_id: node, display_name: called, labels };
    const told = [called, ...(titles.length ? titles : labels)].join(" · ");
    const click = () => {
      pin(conversation(), choice);
      ask();
    };
    const known = { type: "button", class: "chip", "aria-pressed": String(pinned.has(node)), on: { click } };
    return h("button", known, told, h("span", { class: "where" }, baseName(database)));
  });
  return h("div", { class: "which", role: "group", label: ["which", { name }] }, h("p", { say: ["which", { name }] }), ...chips);
}
