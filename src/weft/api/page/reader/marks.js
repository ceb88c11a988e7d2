// Stored text as it is read: without the marks of its format. What is cited stays as it is.

// Markdown and reStructuredText: links, code, emphasis. Code has brackets right behind a word.
const MARKS = [
  [/(?<![\p{L}\p{N}_])!?\[([^[\]\n]+)\]\([^()\s]*\)/gu, "$1"],
  [/`([^`<>\n]+?)\s*<[^<>\s]+>`__?/gu, "$1"],
  [/(?<![`\p{L}\p{N}_])(`{1,2})([^`\n]+)\1_{0,2}(?![`\p{L}\p{N}_])/gu, "$2"],
  [/\*\*(?=\S)([^*\n]+?)(?<=\S)\*\*/gu, "$1"],
  [/(?<![\p{L}\p{N}_*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\p{L}\p{N}_*])/gu, "$1"],
];
// What would steer a terminal that it is copied to, or turn the order of what stands beside it.
const STEERING = /[\u0000-\u0008\u000b-\u001b\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
const FIELD = /^\p{L}[\p{L}\p{N}_ .()/-]{0,39}:\s+\S/u;

/** Return a text without control characters; line ends and tabs stay. */
export function harmless(text) {
  return text.replace(STEERING, "");
}

/** Return a stored text on one line and without marks; fields and cells stand apart. */
export function unmarked(text) {
  const lines = harmless(text).split("\n").map((line) => line.replace(/\s+/g, " ").trim()).filter(Boolean);
  const fields = lines.filter((line) => FIELD.test(line)).length;
  const whole = lines.join(lines.length > 1 && fields * 2 > lines.length ? " · " : " ");
  const row = whole.match(/^\|(.*)\|$/);
  const isRow = row && !/^[\s:|-]*$/.test(row[1]);
  const plain = isRow ? row[1].split("|").map((cell) => cell.trim()).filter(Boolean).join(" · ") : whole;
  return MARKS.reduce((said, [mark, words]) => said.replace(mark, words), plain);
}
