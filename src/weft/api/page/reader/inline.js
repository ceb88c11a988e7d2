// What stands inside a line of Markdown: emphasis, code, links. Every leaf is a place in the text.

const PUNCTUATION = /[!-/:-@[-`{-~]/;
const WORD = /[\p{L}\p{N}_]/u;
const SPACE = /\s/;
const MARKS = [["***", "em strong"], ["**", "strong"], ["__", "strong"], ["~~", "s"], ["*", "em"], ["_", "em"]];
const DEEPEST = 6;
const LONGEST_LABEL = 300;
const LONGEST_TARGET = 2000;

/**
 * Return the nodes of a run of text: {from, to} is shown as it stands, {tag, kids} holds others.
 * What only marks is in none. `said` is the text, of which [from, to) is read.
 */
export function inline(said, from, to, depth = 0) {
  const reader = { said, to, depth, out: [], plain: from, lacking: new Map() };
  let at = from;
  while (at < to) at = step(reader, at);
  flush(reader, to);
  return reader.out;
}

function step(reader, at) {
  const { said, to } = reader;
  const char = said[at];
  if (char === "\\" && at + 1 < to && PUNCTUATION.test(said[at + 1])) {
    flush(reader, at);
    reader.plain = at + 1;
    return at + 2;
  }
  if (char === "`") return code(reader, at);
  if (char === "!" && said[at + 1] === "[") return link(reader, at, at + 1) ?? at + 1;
  if (char === "[") return link(reader, at, at) ?? at + 1;
  if (char === "<") return address(reader, at) ?? at + 1;
  if (char === "*" || char === "_" || char === "~") return emphasis(reader, at);
  return at + 1;
}

function flush(reader, at) {
  if (at > reader.plain) reader.out.push({ from: reader.plain, to: at });
  reader.plain = at;
}

function put(reader, begin, node, end) {
  flush(reader, begin);
  reader.out.push(node);
  reader.plain = end;
  return end;
}

function code(reader, at) {
  const { said, to } = reader;
  const open = at + runOf(said, at, to);
  const close = endOfCode(reader, open, open - at);
  if (close < 0) return open;
  // One space inside the signs belongs to them, where there is something between.
  const isPadded = said[open] === " " && said[close - 1] === " " && close - open > 2;
  const [begin, end] = isPadded ? [open + 1, close - 1] : [open, close];
  return put(reader, at, { tag: "code", kids: [{ from: begin, to: end }] }, close + open - at);
}

function endOfCode(reader, from, size) {
  const sign = "`".repeat(size);
  return search(reader, sign, from, () => {
    for (let at = reader.said.indexOf(sign, from); at >= 0 && at < reader.to; ) {
      const run = runOf(reader.said, at, reader.to);
      if (run === size) return at;
      at = reader.said.indexOf(sign, at + run);
    }
    return -1;
  });
}

function runOf(said, at, to) {
  let end = at;
  while (end < to && said[end] === said[at]) end += 1;
  return end - at;
}

/** Look for what closes; where there is none further on, it is not looked for again. */
function search(reader, sign, from, find) {
  if (from >= (reader.lacking.get(sign) ?? Infinity)) return -1;
  const found = find();
  if (found < 0) reader.lacking.set(sign, from);
  return found;
}

function emphasis(reader, at) {
  const { said, to } = reader;
  const [sign, tags] = MARKS.find(([each]) => said.startsWith(each, at)) ?? ["", ""];
  const open = at + sign.length;
  const isWord = sign.includes("_") && WORD.test(said[at - 1] ?? " ");
  if (!sign || reader.depth >= DEEPEST || open >= to || SPACE.test(said[open]) || isWord) return at + Math.max(1, runOf(said, at, to));
  const close = search(reader, sign, open, () => closing(reader, sign, open));
  if (close < 0) return at + runOf(said, at, to);
  const kids = inline(said, open, close, reader.depth + 1);
  const node = tags.split(" ").reduceRight((inner, tag) => [{ tag, kids: inner }], kids)[0];
  return put(reader, at, node, close + sign.length);
}

function closing({ said, to }, sign, open) {
  for (let at = said.indexOf(sign, open + 1); at >= 0 && at + sign.length <= to; at = said.indexOf(sign, at + 1)) {
    const before = said[at - 1];
    if (SPACE.test(before) || before === "\\" || before === sign[0]) continue;
    const run = runOf(said, at, to);
    // A single sign does not end at a double one: that belongs to what is inside.
    if (sign.length === 1 && run === 2) {
      at += 1;
      continue;
    }
    const end = at + Math.max(0, run - sign.length);
    if (sign.includes("_") && WORD.test(said[end + sign.length] ?? " ")) continue;
    return end;
  }
  return -1;
}

/** Return where a link or an image ends, or undefined; its address is told, never followed. */
function link(reader, at, bracket) {
  const { said, to } = reader;
  const label = endOfLabel(said, bracket, to);
  if (label < 0 || said[label + 1] !== "(") return undefined;
  const end = endOfTarget(said, label + 1, to);
  if (end < 0) return undefined;
  const target = said.slice(label + 2, end).trim().replace(/\s+(["'(]).*$/su, "").replace(/^<|>$/g, "");
  const isImage = bracket > at;
  const kids = reader.depth >= DEEPEST || isImage ? [{ from: bracket + 1, to: label }] : inline(said, bracket + 1, label, reader.depth + 1);
  return put(reader, at, { tag: isImage ? "image" : "link", target, kids }, end + 1);
}

function endOfLabel(said, open, to) {
  let depth = 0;
  for (let at = open; at < Math.min(to, open + LONGEST_LABEL); at += 1) {
    if (said[at] === "\\") at += 1;
    else if (said[at] === "[") depth += 1;
    else if (said[at] === "]" && --depth === 0) return at;
  }
  return -1;
}

function endOfTarget(said, open, to) {
  let depth = 0;
  for (let at = open; at < Math.min(to, open + LONGEST_TARGET); at += 1) {
    if (said[at] === "\n") return -1;
    if (said[at] === "\\") at += 1;
    else if (said[at] === "(") depth += 1;
    else if (said[at] === ")" && --depth === 0) return at;
  }
  return -1;
}

function address(reader, at) {
  const found = /^<([a-z][a-z0-9+.-]{1,20}:[^\s<>]{1,1000})>/i.exec(reader.said.slice(at, Math.min(reader.to, at + 1030)));
  if (!found) return undefined;
  const kids = [{ from: at + 1, to: at + 1 + found[1].length }];
  return put(reader, at, { tag: "link", target: found[1], kids }, at + found[0].length);
}
