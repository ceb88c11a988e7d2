// A tree of Markdown, or plain text, drawn with what is cited in it marked. Nothing in it is live.
import { h } from "../view.js";
import { piecesOf } from "./spans.js";

const FIRST_LEVEL = 3;
const LAST_LEVEL = 6;

/** Return plain text as nodes, its placed citations marked; `now` is the number of the open one. */
export function drawnText(text, citations, now) {
  return leaf({ from: 0, to: text.length }, { text, citations, now });
}

/** Return blocks of Markdown as nodes, every part of what is cited marked. */
export function drawnBlocks(text, blocks, { citations, now }) {
  const held = { text, citations, now, levels: [] };
  return blocks.map((block) => node(block, held));
}

function leaf({ from, to }, { text, citations, now }) {
  const inside = citations
    .filter((each) => each.from < to && from < each.to)
    .map((each) => ({ ...each, from: Math.max(each.from, from) - from, to: Math.min(each.to, to) - from }));
  const said = text.slice(from, to);
  if (!inside.length) return [document.createTextNode(said)];
  return piecesOf(said, inside).map(({ text: piece, cited }) => {
    if (!cited.length) return document.createTextNode(piece);
    const isNow = cited.some((each) => each.n === now);
    return h("mark", { class: isNow ? "now" : "other", "data-n": cited.map((each) => each.n).join(" ") }, document.createTextNode(piece));
  });
}

function node(made, held) {
  if (made.kids === undefined) {
    const parts = document.createDocumentFragment();
    parts.append(...leaf(made, held));
    return parts;
  }
  const level = made.tag === "heading" ? levelOf(made.level, held.levels) : 0;
  const kids = made.kids.map((kid) => node(kid, held));
  switch (made.tag) {
    case "heading": return h(`h${level}`, {}, ...kids);
    case "pre": return h("pre", { class: made.kind, tabindex: "0" }, h("code", {}, ...kids));
    case "table": return tableOf(made, kids, held);
    case "ol": return h("ol", { start: made.start === 1 ? null : made.start }, ...kids);
    case "link": return h("span", { class: "link", title: made.target }, ...kids);
    case "image": return h("span", { class: "image", title: made.target }, ...kids);
    default: return h(made.tag, {}, ...kids);
  }
}

/** Return how deep a heading stands among those before it: no level is left out. */
function levelOf(level, levels) {
  while (levels.length && levels.at(-1) >= level) levels.pop();
  levels.push(level);
  return Math.min(LAST_LEVEL, FIRST_LEVEL + levels.length - 1);
}

function tableOf({ head }, rows, held) {
  const top = node(head, held);
  for (const cell of top.querySelectorAll("th")) cell.setAttribute("scope", "col");
  return h("div", { class: "wide-table", tabindex: "0" }, h("table", {}, h("thead", {}, top), h("tbody", {}, ...rows)));
}
