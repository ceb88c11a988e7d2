// The way that a run took, drawn as a graph: a box a step, side by side what went on side by side.
import { has, t } from "../texts.js";
import { label } from "../view.js";

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 340;
const ROW = 62;
const BOX = 40;
const GAP = 10;
const ABREAST = 3;
const LETTER = 6.6;

/** Return a drawing of steps and the edges between them; what is within a child run is its box. */
export function wayView({ steps, edges }) {
  const { boxes, height } = placed(shown(steps), edges);
  const drawn = shape("svg", { class: "way", viewBox: `0 0 ${WIDTH} ${height}`, role: "img" });
  label(drawn, "trace_way", { count: boxes.size });
  for (const { source, target } of edges) {
    const [from, to] = [boxes.get(source), boxes.get(target)];
    if (from && to) drawn.append(arrow(from, to));
  }
  for (const box of boxes.values()) drawn.append(boxView(box));
  return drawn;
}

/** Return the steps that have a box: all but those within a child run. */
function shown(steps) {
  const children = new Set(steps.filter(({ node, parent }) => parent && node.startsWith(`${parent}/`)).map(({ node }) => node));
  const outer = new Set([...children].filter((node) => !within(node, children)));
  return steps.filter(({ node }) => !within(node, outer)).map((step) => ({ ...step, isChild: outer.has(step.node) }));
}

function within(node, others) {
  const parts = node.split("/");
  return parts.some((_, at) => at > 0 && others.has(parts.slice(0, at).join("/")));
}

/** Return each step with its box: one row deeper than whatever led to it, a few abreast. */
function placed(steps, edges) {
  const known = new Map(steps.map((step) => [step.node, step]));
  const level = new Map();
  for (const { node } of steps) {
    const before = edges.filter(({ source, target }) => target === node && level.has(source)).map(({ source }) => level.get(source));
    level.set(node, before.length ? Math.max(...before) + 1 : level.size ? Math.max(...level.values()) + 1 : 0);
  }
  const boxes = new Map();
  let row = 0;
  for (let deep = 0; deep <= Math.max(0, ...level.values()); deep += 1) {
    const beside = steps.filter(({ node }) => level.get(node) === deep);
    for (let at = 0; at < beside.length; at += ABREAST, row += 1) {
      const part = beside.slice(at, at + ABREAST);
      const width = part.length === 1 && beside.length === 1 ? WIDTH * 0.62 : (WIDTH - GAP * (ABREAST - 1)) / Math.min(ABREAST, beside.length);
      const whole = part.length * width + (part.length - 1) * GAP;
      part.forEach(({ node }, place) => {
        const x = (WIDTH - whole) / 2 + place * (width + GAP);
        boxes.set(node, { step: known.get(node), x, y: row * ROW + 2, width: Math.min(width, WIDTH) });
      });
    }
  }
  return { boxes, height: row * ROW - (ROW - BOX) + 4 };
}

function arrow(from, to) {
  const [x, y] = [from.x + from.width / 2, from.y + BOX];
  const [end, top] = [to.x + to.width / 2, to.y];
  const bend = Math.min(16, Math.max(6, (top - y) / 2));
  return shape("path", { class: "way-edge", d: `M${x} ${y} C${x} ${y + bend} ${end} ${top - bend} ${end} ${top}` });
}

function boxView({ step, x, y, width }) {
  const group = shape("g", { class: `way-step ${step.status}${step.isChild ? " child" : ""}` });
  const [name, took] = [nameOf(step.node), step.ms === null ? "…" : t("step_ms", { ms: step.ms })];
  const middle = x + width / 2;
  group.append(
    shape("title", {}, `${step.node}: ${took}`),
    shape("rect", { x, y, width, height: BOX, rx: 8 }),
    shape("text", { x: middle, y: y + 17, "text-anchor": "middle" }, cut(name, width)),
    shape("text", { class: "way-ms", x: middle, y: y + 32, "text-anchor": "middle" }, step.status === "failed" ? t("step_failed") : took),
  );
  return group;
}

function nameOf(node) {
  const last = node.split("/").pop();
  return has(`step_${last}`) ? t(`step_${last}`) : last;
}

function cut(name, width) {
  const letters = [...name];
  const wide = letters.filter((one) => one > "\u1100").length;
  const fits = Math.floor(width / LETTER) - 2 - Math.floor(wide * 0.8);
  return letters.length > fits ? `${letters.slice(0, Math.max(1, fits - 1)).join("")}…` : name;
}

function shape(name, known, text = "") {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(known)) made.setAttribute(key, String(value));
  if (text) made.textContent = text;
  return made;
}
