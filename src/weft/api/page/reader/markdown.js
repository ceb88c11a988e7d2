// Markdown as a tree of blocks. Every leaf is a place in the stored text, so that spans can be found.
import { inline } from "./inline.js";

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^( {0,3}(#{1,6})(?:[ \t]+|$))(.*?)(?:[ \t]+#+)?[ \t]*$/;
const RULE = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])([ \t]{1,4}|$)/;
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/;
const DELIMITERS = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
const INDENTED = /^(?: {4}|\t)/;
const DEEPEST = 8;
const FRONT_LINES = 60;

/** Return the blocks of a Markdown text: {tag, kids}, where leaves are {from, to}. */
export function blocksOf(text) {
  const lines = [];
  for (let from = 0; from <= text.length; ) {
    const end = text.indexOf("\n", from);
    const to = end < 0 ? text.length : end;
    lines.push({ from, to: text[to - 1] === "\r" && to > from ? to - 1 : to });
    from = to + 1;
  }
  const front = frontMatter(text, lines);
  const head = front ? [codeOf(lines.slice(1, front), "front")] : [];
  return [...head, ...blocks({ text, lines: lines.slice(front ? front + 1 : 0), depth: 0 })];
}

function frontMatter(text, lines) {
  const said = ({ from, to }) => text.slice(from, to).trimEnd();
  if (said(lines[0]) !== "---") return 0;
  const end = lines.slice(1, FRONT_LINES).findIndex((line) => said(line) === "---");
  return end > 0 ? end + 1 : 0;
}

const WAYS = [fence, heading, rule, quote, table, list, indented, paragraph];

function blocks(part) {
  const found = [];
  for (let at = 0; at < part.lines.length; ) {
    if (!said(part, at).trim()) {
      at += 1;
      continue;
    }
    for (const way of WAYS) {
      const made = way(part, at);
      if (!made) continue;
      found.push(made.node);
      at = made.next;
      break;
    }
  }
  return found;
}

function said({ text, lines }, at) {
  return at < lines.length ? text.slice(lines[at].from, lines[at].to) : "";
}

/** Return lines of code as they stand: each with its end, which may not be where the next begins. */
function codeOf(lines, kind) {
  const kids = lines.flatMap(({ from, to }) => [{ from, to }, { from: to, to: to + 1 }]);
  return { tag: "pre", kind, kids: kids.slice(0, -1) };
}

function fence(part, at) {
  const open = FENCE.exec(said(part, at));
  if (!open) return null;
  const isClose = (line) => line.trim().startsWith(open[1]) && /^(`+|~+)$/.test(line.trim());
  let end = at + 1;
  while (end < part.lines.length && !isClose(said(part, end))) end += 1;
  return { node: codeOf(part.lines.slice(at + 1, end), "code"), next: end + 1 };
}

function heading(part, at) {
  const found = HEADING.exec(said(part, at));
  if (!found) return null;
  const from = part.lines[at].from + found[1].length;
  return { node: { tag: "heading", level: found[2].length, kids: inline(part.text, from, from + found[3].length) }, next: at + 1 };
}

function rule(part, at) {
  return RULE.test(said(part, at)) ? { node: { tag: "hr", kids: [] }, next: at + 1 } : null;
}

function quote(part, at) {
  if (!QUOTE.test(said(part, at)) || part.depth >= DEEPEST) return null;
  const lines = [];
  let end = at;
  for (; end < part.lines.length; end += 1) {
    const mark = QUOTE.exec(said(part, end));
    if (!mark && (!said(part, end).trim() || begins(part, end))) break;
    lines.push({ from: part.lines[end].from + (mark ? mark[0].length : 0), to: part.lines[end].to });
  }
  return { node: { tag: "blockquote", kids: blocks({ ...part, lines, depth: part.depth + 1 }) }, next: end };
}

/** Tell whether a line begins a block that ends a paragraph above it. */
function begins(part, at) {
  const line = said(part, at);
  return FENCE.test(line) || HEADING.test(line) || RULE.test(line) || QUOTE.test(line) || ITEM.test(line);
}

function list(part, at) {
  const first = ITEM.exec(said(part, at));
  if (!first || part.depth >= DEEPEST) return null;
  const kind = first[2].at(-1);
  const items = [];
  let next = at;
  for (let mark = first; mark && mark[2].at(-1) === kind && !RULE.test(said(part, next)); mark = ITEM.exec(said(part, next))) {
    const made = item(part, next, mark);
    items.push({ tag: "li", kids: made.kids });
    next = made.next;
  }
  const isOrdered = /\d/.test(first[2]);
  const start = isOrdered ? Number.parseInt(first[2], 10) : 1;
  return { node: { tag: isOrdered ? "ol" : "ul", start, kids: items }, next };
}

function item(part, at, mark) {
  const indent = mark[0].length + (mark[3] ? 0 : 1);
  const lines = [{ from: part.lines[at].from + mark[0].length, to: part.lines[at].to }];
  let next = at + 1;
  for (; next < part.lines.length; next += 1) {
    const line = said(part, next);
    const before = said(part, next - 1).trim();
    const space = line.length - line.trimStart().length;
    if (!line.trim()) {
      lines.push({ from: part.lines[next].to, to: part.lines[next].to });
      continue;
    }
    // Less than the whole indent is common under "10.", and two spaces more are meant as inside.
    const isInside = space >= Math.min(indent, mark[1].length + 2);
    if (!isInside && (!before || begins(part, next))) break;
    const cut = Math.min(space, indent);
    lines.push({ from: part.lines[next].from + (isInside ? cut : space), to: part.lines[next].to });
  }
  return { kids: blocks({ ...part, lines, depth: part.depth + 1 }), next };
}

function cells(part, at) {
  const line = said(part, at);
  const begin = part.lines[at].from;
  const bare = line.trim();
  const from = line.indexOf(bare) + (bare.startsWith("|") ? 1 : 0);
  const to = line.indexOf(bare) + bare.length - (bare.length > 1 && bare.endsWith("|") && !bare.endsWith("\\|") ? 1 : 0);
  const found = [];
  let cell = from;
  for (let place = from; place <= to; place += 1) {
    if (line[place] === "\\") place += 1;
    else if (place === to || line[place] === "|") {
      const inner = line.slice(cell, place);
      const left = cell + inner.length - inner.trimStart().length;
      found.push({ from: begin + left, to: begin + left + inner.trim().length });
      cell = place + 1;
    }
  }
  if (cell < to) found.push({ from: begin + cell, to: begin + to });
  return found;
}

function beginsTable(part, at) {
  const below = said(part, at + 1);
  return said(part, at).includes("|") && below.includes("-") && DELIMITERS.test(below);
}

function table(part, at) {
  if (!beginsTable(part, at)) return null;
  const head = cells(part, at);
  if (cells(part, at + 1).length !== head.length) return null;
  const row = (tag) => (places) => ({ tag: "tr", kids: places.map(({ from, to }) => ({ tag: from < to ? tag : "td", kids: inline(part.text, from, to) })) });
  const rows = [];
  let next = at + 2;
  for (; next < part.lines.length && said(part, next).trim() && said(part, next).includes("|"); next += 1) rows.push(cells(part, next));
  return { node: { tag: "table", head: row("th")(head), kids: rows.map(row("td")) }, next };
}

function indented(part, at) {
  if (!INDENTED.test(said(part, at))) return null;
  let end = at;
  while (end < part.lines.length && (INDENTED.test(said(part, end)) || !said(part, end).trim())) end += 1;
  while (!said(part, end - 1).trim()) end -= 1;
  const cut = part.lines.slice(at, end).map((line, place) => {
    const mark = INDENTED.exec(said(part, at + place));
    return { from: line.from + (mark ? mark[0].length : 0), to: line.to };
  });
  return { node: codeOf(cut, "code"), next: end };
}

function paragraph(part, at) {
  let end = at + 1;
  for (; end < part.lines.length && said(part, end).trim(); end += 1) {
    const line = UNDERLINE.exec(said(part, end));
    if (line) {
      const kids = flowing(part, at, end);
      return { node: { tag: "heading", level: line[1][0] === "=" ? 1 : 2, kids }, next: end + 1 };
    }
    if (begins(part, end) && !isNumberInside(said(part, end))) break;
    if (beginsTable(part, end)) break;
  }
  return { node: { tag: "p", kids: flowing(part, at, end) }, next: end };
}

/** Tell whether a line that looks like an item is a number that a wrapped sentence goes on with. */
function isNumberInside(line) {
  const mark = ITEM.exec(line);
  return mark !== null && /\d/.test(mark[2]) && Number.parseInt(mark[2], 10) !== 1;
}

/** Return the nodes of lines that are read as one; their places are those of the text. */
function flowing({ text, lines }, at, end) {
  const runs = [];
  let joined = "";
  for (const { from, to } of lines.slice(at, end)) {
    const said = text.slice(from, to);
    const left = from + said.length - said.trimStart().length;
    runs.push({ begin: joined.length, from: left });
    joined += text.slice(left, Math.min(to + 1, text.length));
    if (!joined.endsWith("\n")) joined += "\n";
  }
  const size = joined.trimEnd().length;
  return inline(joined, 0, size).flatMap((node) => moved(node, runs));
}

function moved(node, runs) {
  if (node.kids) return [{ ...node, kids: node.kids.flatMap((kid) => moved(kid, runs)) }];
  const found = [];
  runs.forEach(({ begin, from }, place) => {
    const end = runs[place + 1]?.begin ?? Infinity;
    const [first, last] = [Math.max(node.from, begin), Math.min(node.to, end)];
    if (first < last) found.push({ from: from + first - begin, to: from + last - begin });
  });
  return found;
}
