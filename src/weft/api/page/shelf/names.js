// Which files the service takes in by their names: for one that it does not it would refuse all.

const DEEPEST = 16;
const LONGEST_PART = 120;
const UNSAFE = /[\u0000-\u001f\u007f\\]/;
const MEANT = new Set(["__pycache__", "node_modules"]);
const RECORDS = "_records";
const COLUMNS = "weft.columns.yaml";

/** Return the files that are taken in, and those that are left out with why: {taken, left: [{path, why}]}. */
export function sifted(files) {
  const [taken, left] = [[], []];
  const known = new Set();
  for (const each of files) {
    const why = known.has(each.path) ? "left_twice" : refused(each.path);
    known.add(each.path);
    if (why) left.push({ path: each.path, why: [why, { deepest: DEEPEST, longest: LONGEST_PART }] });
    else taken.push(each);
  }
  return { taken, left };
}

function refused(path) {
  const parts = path.split("/");
  if (UNSAFE.test(path) || parts.includes("..")) return "left_letters";
  const bytes = (part) => new TextEncoder().encode(part).length;
  if (parts.length > DEEPEST || parts.some((part) => bytes(part) > LONGEST_PART)) return "left_long";
  if (parts[0] === RECORDS || parts.at(-1) === COLUMNS || parts.some((part) => MEANT.has(part))) return "left_meant";
  return "";
}
