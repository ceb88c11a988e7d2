// Rows that answer, drawn as a table: sorted by its heads, saved as CSV, each row with what it cites.
import { unmarked } from "../reader/marks.js";
import { announce, h, icon, say } from "../view.js";
import { chartView } from "./chart.js";

const SHOWN = 20;
const MORE = 100;
const NUMBERS = new Set(["number", "integer", "money", "percent"]);
// What a sheet would take for a formula.
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^[^\d+-]*([+-]?\d[\d.,\s'’]*)/;
// What is written so has its thousands in dots, or its parts behind a comma.
const COMMA_DECIMAL = /\.\d{3}[.,]|,(?:\d{1,2}|\d{4,})$/;

/** Tell whether a column holds numbers. */
export function isNumeric({ type }) {
  return NUMBERS.has(type);
}

/** Return the numbers that cells of one column begin with, as all of them write it, or NaN. */
export function numbersIn(cells) {
  const found = cells.map((cell) => NUMBER.exec(cell ?? "")?.[1].replace(/[.,\s'’]+$/, ""));
  const thousands = found.some((said) => said && COMMA_DECIMAL.test(said)) ? /[.\s'’]/g : /[,\s'’]/g;
  return found.map((said) => (said ? Number(said.replace(thousands, "").replace(",", ".")) : Number.NaN));
}

/** Return a table with its plan as the caption; `cite` makes the button of a citation's number. */
export function tableView(table, cite) {
  const { columns, rows, total, cites = [] } = table;
  const order = rows.map((_, at) => at);
  const body = h("tbody");
  const cited = cites.some((each) => each.length);
  let shown = Math.min(SHOWN, rows.length);
  const fill = () => body.replaceChildren(...order.slice(0, shown).map((at) => rowView(table, at, cited && cite)));
  const heads = columns.map((column, at) => headView(column, () => sort(heads, at, { table, order, fill })));
  fill();
  const last = cited ? h("th", { scope: "col", say: "table_sources" }) : null;
  const caption = h("caption", table.plan ? {} : { say: ["table_rows", { count: total }] }, ...(table.plan ? [unmarked(table.plan)] : []));
  const drawn = h("table", {}, caption, h("thead", {}, h("tr", {}, ...heads, last)), body);
  const place = h("div", { class: "wide-table", role: "group", tabindex: "0", label: "table_scroll" }, drawn);
  const left = h("p", { class: "hint" });
  const further = h("button", { type: "button", class: "quiet small more-rows" }, h("span", { say: "show_more" }));
  const tell = () => {
    left.hidden = shown >= total;
    say(left, "table_more", { count: total - shown });
    further.hidden = shown >= rows.length;
  };
  further.addEventListener("click", () => {
    shown = Math.min(rows.length, shown + MORE);
    fill();
    tell();
    announce("table_shown", { shown, count: total });
    if (further.hidden) place.focus();
  });
  tell();
  return h(
    "div",
    { class: "rows" },
    place,
    h("div", { class: "rows-foot" }, left, further, saveButton(table)),
    chartView({ ...table, rows: rows.slice(0, SHOWN) }),
  );
}

function headView(column, sorted) {
  const named = unmarked(column.unit ? `${column.name} (${column.unit})` : column.name);
  const mark = h("span", { class: "order", "aria-hidden": "true" });
  const button = h("button", { type: "button", class: "head", on: { click: sorted } }, h("span", { class: "head-name" }, named), mark);
  return h("th", { scope: "col", class: isNumeric(column) ? "number-cell" : null }, button);
}

function rowView({ columns, rows, cites }, at, cite) {
  const cells = columns.map((column, n) => h("td", { class: isNumeric(column) ? "number-cell" : null }, unmarked(rows[at][n] ?? "")));
  if (cite) cells.push(h("td", { class: "row-cites" }, ...(cites[at] ?? []).map(cite).filter(Boolean)));
  return h("tr", {}, ...cells);
}

/** Sort by a column, the other way round where it is sorted by it already. */
function sort(heads, at, { table: { columns, rows }, order, fill }) {
  const isDown = heads[at].getAttribute("aria-sort") === "ascending";
  for (const head of heads) head.removeAttribute("aria-sort");
  heads[at].setAttribute("aria-sort", isDown ? "descending" : "ascending");
  const cells = rows.map((row) => row[at] ?? "");
  const [values, compare] = isNumeric(columns[at]) ? [numbersIn(cells), byNumber] : [cells, byWords];
  order.sort((a, b) => compare(values[a], values[b], isDown ? -1 : 1) || a - b);
  fill();
  announce(isDown ? "table_sorted_down" : "table_sorted_up", { column: columns[at].name });
}

function byNumber(a, b, way) {
  // What is no number comes last either way.
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  return way * (a - b);
}

function byWords(one, other, way) {
  return way * one.localeCompare(other, undefined, { numeric: true });
}

function saveButton(table) {
  // Where there are more rows than came, what is saved is not all, and says so.
  const told = table.rows.length < table.total ? ["table_save_some", { count: table.rows.length }] : ["table_save"];
  const name = h("span", { say: told });
  const save = () => {
    const link = h("a", { href: URL.createObjectURL(new Blob([csv(table)], { type: "text/csv;charset=utf-8" })), download: "rows.csv" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 0);
    say(name, "table_saved");
    setTimeout(() => say(name, ...told), 2000);
  };
  return h("button", { type: "button", class: "quiet small save-rows", on: { click: save } }, icon("down"), name);
}

/** Return the rows as CSV that sheets open as it is, no cell of it a formula. */
export function csv({ columns, rows }) {
  const heads = columns.map(({ name, unit }) => inert(unit ? `${name} (${unit})` : name));
  const told = rows.map((row) => columns.map((column, at) => (isNumeric(column) && !Number.isNaN(Number(row[at])) ? row[at] : inert(row[at] ?? ""))));
  // Sheets take the text for another encoding without the mark.
  return `\ufeff${[heads, ...told].map((row) => row.map(quoted).join(",")).join("\r\n")}\r\n`;
}

function inert(cell) {
  return FORMULA.test(cell) ? `'${cell}` : cell;
}

function quoted(cell) {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
