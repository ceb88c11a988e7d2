// Numbers over categories as bars, over dates as a line. The table beside it says the same in words.
import { harmless } from "../reader/marks.js";
import { h, label } from "../view.js";
import { isNumeric, numbersIn } from "./table.js";

const SVG = "http://www.w3.org/2000/svg";
const ROW = 26;
const TALL = 184;
const LABEL = 14;
// In hundredths of the width: where bars begin and how long the longest is.
const FROM = 32;
const SPAN = 48;

/** Return a small chart of one number over one category or date, or null where there is none. */
export function chartView({ columns, rows }) {
  const over = columns.findIndex(({ type }) => type === "category" || type === "date");
  const value = columns.findIndex(isNumeric);
  if (columns.length !== 2 || over < 0 || value < 0) return null;
  const sizes = numbersIn(rows.map((row) => row[value]));
  const points = rows
    .map((row, at) => ({ name: row[over], said: row[value], size: sizes[at] }))
    .filter(({ name, size }) => name && !Number.isNaN(size));
  if (points.length < 2) return null;
  const isTime = columns[over].type === "date";
  const drawn = isTime ? line(points.sort((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }))) : bars(points);
  drawn.setAttribute("role", "img");
  label(drawn, isTime ? "chart_line" : "chart_bars", { value: columns[value].name, over: columns[over].name, count: points.length });
  return h("figure", { class: "chart" }, drawn);
}

function shape(name, known, text = "") {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(known)) made.setAttribute(key, String(value));
  made.textContent = text;
  return made;
}

function bars(points) {
  const least = Math.min(0, ...points.map(({ size }) => size));
  const most = Math.max(0, ...points.map(({ size }) => size));
  const scale = SPAN / (most - least || 1);
  const zero = FROM - least * scale;
  const drawn = shape("svg", { class: "bars", width: "100%", height: points.length * ROW });
  points.forEach(({ name, said, size }, at) => {
    const middle = at * ROW + ROW / 2;
    const from = Math.min(zero, zero + size * scale);
    const length = Math.max(0.4, Math.abs(size) * scale);
    drawn.append(
      shape("text", { x: `${FROM - 2}%`, y: middle, "text-anchor": "end" }, cut(name)),
      shape("rect", { x: `${from}%`, y: middle - 7, width: `${length}%`, height: 14, rx: 3 }),
      shape("text", { class: "value", x: `${from + length + 1.5}%`, y: middle }, cut(said)),
    );
  });
  return drawn;
}

function line(points) {
  const sizes = points.map(({ size }) => size);
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  const [top, bottom] = [28, TALL - 52];
  const height = (size) => bottom - ((size - least) / (most - least || 1)) * (bottom - top);
  const across = (at) => 3 + (94 * at) / (points.length - 1);
  const drawn = shape("svg", { class: "line", width: "100%", height: TALL });
  // A line alone is stretched to the width there is; dots and words are not.
  const stretched = shape("svg", { x: 0, y: 0, width: "100%", height: TALL, viewBox: `0 0 100 ${TALL}`, preserveAspectRatio: "none" });
  stretched.append(shape("polyline", { points: points.map(({ size }, at) => `${across(at)},${height(size)}`).join(" "), "vector-effect": "non-scaling-stroke" }));
  drawn.append(stretched);
  points.forEach(({ size }, at) => drawn.append(shape("circle", { cx: `${across(at)}%`, cy: height(size), r: 3 })));
  for (const at of new Set([sizes.indexOf(most), sizes.indexOf(least), 0, points.length - 1])) {
    drawn.append(shape("text", { class: "value", x: `${across(at)}%`, y: height(sizes[at]) + aside(at, sizes), "text-anchor": anchor(at, points) }, cut(points[at].said)));
  }
  for (const at of new Set([0, points.length - 1])) {
    drawn.append(shape("text", { x: `${across(at)}%`, y: TALL - 12, "text-anchor": anchor(at, points) }, cut(points[at].name)));
  }
  return drawn;
}

/** Return how far from its point a number stands: below a low one, where no line comes from. */
function aside(at, sizes) {
  const near = Math.max(sizes[at - 1] ?? -Infinity, sizes[at + 1] ?? -Infinity);
  return sizes[at] < near ? 15 : -14;
}

/** Return which end of a text stands at its point, so that none runs out at the side. */
function anchor(at, points) {
  const share = at / (points.length - 1);
  if (share < 0.15) return "start";
  return share > 0.85 ? "end" : "middle";
}

function cut(text) {
  const letters = [...harmless(text)];
  return letters.length > LABEL ? `${letters.slice(0, LABEL - 1).join("")}…` : text;
}
