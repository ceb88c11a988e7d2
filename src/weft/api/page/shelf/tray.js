// The tray: what is on its way into a knowledge base, and how far it has come.
import { call, forgive, handOver, isLost, reached, stream } from "../api.js";
import { faultText } from "../fault.js";
import { announce, byId, h, icon, say } from "../view.js";
import { baseName } from "./shelf.js";

const FILES_AT_ONCE = 400;
const BYTES_AT_ONCE = 100 * 1024 * 1024;
const MOST_NAMED = 50;
const TOO_LARGE = 413;
// What is on its way from this page; of that which is not sent yet nobody else knows.
const leaving = new Set();
const OVER = new Set(["finished", "failed", "cancelled"]);

addEventListener("beforeunload", (event) => {
  if ([...leaving].some((card) => card.unsent > 0)) event.preventDefault();
});

/**
 * Bring files into a knowledge base and show the progress, and which were `left` out and why: [{path, why}].
 * `done` runs at the end.
 */
export async function bring(base, { files, left }, done) {
  const card = cardOf(base);
  const sum = { chunks: 0, failed: 0, unchanged: 0 };
  const out = [...left];
  card.unsent = files.length;
  leaving.add(card);
  try {
    for (const batch of batches(files)) {
      show(card, "progress_send", { done: files.length - card.unsent, total: files.length });
      await take(batch, { card, sum, out });
    }
    await finish(card, sum, files.length + left.length - out.length);
    if (out.length) card.item.append(leftOut(out));
  } catch (error) {
    fail(card, error);
  } finally {
    leaving.delete(card);
    card.bar.hidden = true;
    await done();
  }
}

/** Have files read; one that is too large is left out, and the others are not. */
async function take(batch, { card, sum, out }) {
  let runId;
  try {
    ({ run_id: runId } = await handOver(card.base, batch));
  } catch (error) {
    if (error.status !== TOO_LARGE) throw error;
    if (batch.length === 1) {
      card.unsent -= 1;
      return out.push({ path: batch[0].path, why: ["unread_too_large"] });
    }
    const half = Math.ceil(batch.length / 2);
    await take(batch.slice(0, half), { card, sum, out });
    return take(batch.slice(half), { card, sum, out });
  }
  card.unsent -= batch.length;
  const last = await watch(runId, card);
  if (last.status !== "finished") throw unfinished(last);
  for (const key of Object.keys(sum)) sum[key] += last.progress?.[key] ?? 0;
  return undefined;
}

/** Return a list, folded, of the files that were not taken in. */
function leftOut(files) {
  const lines = files.map(({ path, why }) => h("li", {}, h("span", { class: "path" }, path), h("span", { say: why })));
  return h("details", { class: "left-out", open: true }, h("summary", { say: ["left_out", { count: files.length }] }), h("ul", {}, ...lines));
}

/** Show what was on its way already when the page was opened. */
export async function follow(done) {
  const { items } = await call("v1/runs?kind=ingest&limit=20");
  const open = items.filter((run) => !OVER.has(run.status));
  await Promise.all(open.map((run) => followed(run, done)));
}

async function followed({ run_id: runId, kb }, done) {
  const card = cardOf(kb[0] ?? "");
  try {
    const last = await watch(runId, card);
    if (last.status !== "finished") throw unfinished(last);
    const { files_total: files = 0, chunks = 0, failed = 0, unchanged = 0 } = last.progress ?? {};
    await finish(card, { chunks, failed, unchanged }, files);
  } catch (error) {
    fail(card, error);
  } finally {
    card.bar.hidden = true;
    await done();
  }
}

async function finish(card, sum, total) {
  card.item.classList.add("done");
  const said = { files: total - sum.failed, chunks: sum.chunks, failed: sum.failed };
  const key = sum.failed ? "progress_some" : sum.chunks || !sum.unchanged ? "progress_done" : "progress_same";
  show(card, key, said);
  announce(key, said);
  if (sum.failed) card.item.append(await unread(card.base).catch(forgive) ?? "");
}

/** Return a list, folded, of the files of a knowledge base that gave no text. */
async function unread(base) {
  const { files, next } = await call(`v1/kb/${encodeURIComponent(base)}/ledger?unread=true&limit=${MOST_NAMED}`);
  const lines = files.map(({ path, status, reason }) =>
    h("li", { title: reason }, h("span", { class: "path" }, path), h("span", { say: `unread_${status}` })));
  if (next) lines.push(h("li", { say: "unread_more" }));
  return h("details", {}, h("summary", { say: "unread_which" }), h("ul", {}, ...lines));
}

function fail(card, error) {
  card.item.classList.add("wrong");
  if (error.code === "cancelled") return show(card, "cancelled");
  const why = faultText(error);
  show(card, "progress_failed", { why });
  announce("progress_failed", { why });
  return undefined;
}

function unfinished({ status, error }) {
  return Object.assign(new Error(error || status), { code: status === "cancelled" ? status : "" });
}

/** Return an ingestion as it ended; where the connection is lost it goes on, and is watched again. */
async function watch(runId, card) {
  show(card, "progress_wait");
  for (;;) {
    try {
      const run = await watched(runId, card);
      if (OVER.has(run.status)) return run;
    } catch (error) {
      if (!isLost(error)) throw error;
    }
    show(card, "progress_lost");
    await reached();
  }
}

async function watched(runId, card) {
  const path = `v1/runs/${encodeURIComponent(runId)}`;
  for await (const { event, data } of stream(`${path}/events`)) {
    if (event !== "progress") continue;
    advance(card, data.progress ?? data);
    if (OVER.has(data.status)) return data;
  }
  return call(path);
}

function advance(card, { files_total: total = 0, files_done: done = 0, seconds_left: left = null }) {
  if (!total) return;
  if (left > 0) show(card, "progress_left", { done, total, minutes: Math.max(1, Math.round(left / 60)) });
  else show(card, "progress_read", { done, total });
  card.bar.max = total;
  card.bar.value = done;
}

function show({ line }, key, values) {
  say(line, key, values);
}

function cardOf(base) {
  const line = h("p", { class: "tray-line" });
  const bar = h("progress", { label: ["into"] });
  const name = baseName(base);
  bar.setAttribute("aria-label", name);
  const hide = h("button", { type: "button", class: "quiet small", label: "dismiss", on: { click: () => drop() } }, icon("cross"));
  const item = h("div", { class: "tray-item" }, h("div", { class: "tray-head" }, h("strong", {}, name), line, hide), bar);
  const drop = () => {
    item.remove();
    byId("tray").hidden = !byId("tray").children.length;
    byId("question").focus();
  };
  byId("tray").append(item);
  byId("tray").hidden = false;
  return { base, item, line, bar };
}

function* batches(files) {
  let batch = [];
  let bytes = 0;
  for (const each of files) {
    if (batch.length && (batch.length === FILES_AT_ONCE || bytes + each.file.size > BYTES_AT_ONCE)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(each);
    bytes += each.file.size;
  }
  if (batch.length) yield batch;
}
