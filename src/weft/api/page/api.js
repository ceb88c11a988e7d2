// Talking to the service: JSON, streams of events, uploads. The cookie says who asks.

const SOON_MS = 1000;
const LATER_MS = 10_000;

/** What the service answered instead of what was asked for; `status` 0 means no answer at all. */
export class Refused extends Error {
  constructor(status, problem) {
    super(problem?.detail ?? "");
    this.status = status;
    this.code = problem?.code ?? (status ? `http_${status}` : "unreachable");
  }
}

/** Let a refusal pass that is shown elsewhere or can wait; any other error is a fault of ours. */
export function forgive(error) {
  if (!(error instanceof Refused)) throw error;
}

/** Tell whether the service was not reached, or no longer. */
export function isLost(error) {
  return error instanceof Refused && error.status === 0;
}

const watchers = [];

/** Call `act` whenever the service does not know who asks. */
export function onStranger(act) {
  watchers.push(act);
}

let sure = async () => {};

/** Await `act` before anything is sent that writes; what it raises is raised instead. */
export function beforeWriting(act) {
  sure = act;
}

/** Return the JSON that the service answers; raises `Refused`. */
export async function call(path, { method = "GET", body, signal } = {}) {
  const headers = body === undefined ? {} : { "Content-Type": "application/json" };
  const sent = body === undefined ? undefined : JSON.stringify(body);
  const reply = await reach(path, { method, headers, body: sent, signal });
  return reply.status === 204 ? null : reply.json();
}

/** Hand files over to a knowledge base: [{file, path}]; returns {run_id, kb, documents}. */
export async function handOver(base, files) {
  const form = new FormData();
  for (const { file, path } of files) form.append("files", file, path);
  const headers = { "Idempotency-Key": randomKey() };
  const path = `v1/kb/${encodeURIComponent(base)}/documents`;
  return (await reach(path, { method: "POST", headers, body: form })).json();
}

/** Yield the events of a stream as {event, data}; ends with it, or when `signal` says so. */
export async function* stream(path, { method = "GET", body, signal } = {}) {
  const headers = { Accept: "text/event-stream" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const sent = body === undefined ? undefined : JSON.stringify(body);
  const reply = await reach(path, { method, headers, body: sent, signal });
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  let held = "";
  for (;;) {
    const { done, value } = await next(reader);
    held += (value ?? "").replaceAll("\r\n", "\n");
    const blocks = held.split("\n\n");
    held = done ? "" : blocks.pop();
    for (const block of blocks) {
      const event = parsed(block);
      if (event) yield event;
    }
    if (done) return;
  }
}

/** Wait until the service answers again, asking ever more seldom; ends early when `signal` says so. */
export async function reached(signal) {
  for (let wait = SOON_MS; ; wait = Math.min(LATER_MS, 2 * wait)) {
    await pause(wait, signal);
    try {
      return await call("v1/me", { signal });
    } catch (error) {
      // What stands before the service may answer in its place.
      if (!isLost(error) && !(error.status >= 502)) throw error;
    }
  }
}

/** Wait some milliseconds, or less where the network comes back. */
function pause(wait, signal) {
  return new Promise((go, stop) => {
    const heard = new AbortController();
    const end = (act) => () => {
      clearTimeout(timer);
      heard.abort();
      act();
    };
    const timer = setTimeout(end(go), wait);
    addEventListener("online", end(go), { signal: heard.signal });
    signal?.addEventListener("abort", end(() => stop(signal.reason)), { signal: heard.signal });
    if (signal?.aborted) end(() => stop(signal.reason))();
  });
}

async function next(reader) {
  try {
    return await reader.read();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused(0, null);
  }
}

function parsed(block) {
  let event = "message";
  const data = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("event:")) event = line.slice(6).trim();
    else if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
  }
  return data.length ? { event, data: JSON.parse(data.join("\n")) } : null;
}

async function reach(path, options) {
  // Who signs in is somebody else on purpose.
  if (options.method !== "GET" && path !== "v1/sign-in") await sure();
  let reply;
  try {
    reply = await fetch(path, { credentials: "same-origin", cache: "no-store", ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused(0, null);
  }
  if (reply.ok) return reply;
  if (reply.status === 401) for (const act of watchers) act();
  let problem = null;
  try {
    problem = await reply.json();
  } catch {
    // Something between us and the service answered; the status says enough.
  }
  throw new Refused(reply.status, problem);
}

function randomKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (one) => one.toString(16).padStart(2, "0")).join("");
}
