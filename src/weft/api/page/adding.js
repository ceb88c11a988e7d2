// Adding documents: what is dropped or chosen, into which knowledge base.
import { call } from "./api.js";
import { carriesFiles, chosenFiles, dropped } from "./drop.js";
import { faultText } from "./fault.js";
import { listed, refresh, wanted } from "./shelf.js";
import { bring } from "./tray.js";
import { byId, h, say } from "./view.js";

const NAME = /^[A-Za-z][A-Za-z0-9]*$/;
const MEGABYTE = 1024 * 1024;
const RULES = "weft.acl.yaml";
let files = [];

/** Let documents be added by drop and by choice; `done` runs when some have been read. */
export function beginAdding(done) {
  byId("add").addEventListener("click", () => offer([]));
  byId("drop").addEventListener("click", () => offer([]));
  byId("choose-files").addEventListener("click", () => byId("files").click());
  byId("choose-folder").addEventListener("click", () => byId("folder").click());
  for (const name of ["files", "folder"]) {
    byId(name).addEventListener("change", ({ target }) => {
      offer(chosenFiles(target));
      target.value = "";
    });
  }
  byId("adding-base").addEventListener("change", settle);
  byId("adding-cancel").addEventListener("click", () => byId("adding").close());
  byId("adding-form").addEventListener("submit", (event) => {
    event.preventDefault();
    send(done);
  });
  watchDrops();
}

function watchDrops() {
  let depth = 0;
  const veil = byId("veil");
  addEventListener("dragenter", (event) => {
    if (!carriesFiles(event)) return;
    depth += 1;
    veil.hidden = false;
  });
  addEventListener("dragleave", (event) => {
    if (!carriesFiles(event)) return;
    depth = Math.max(0, depth - 1);
    veil.hidden = depth === 0;
  });
  addEventListener("dragover", (event) => {
    if (carriesFiles(event)) event.preventDefault();
  });
  addEventListener("drop", async (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    depth = 0;
    veil.hidden = true;
    const found = await dropped(event.dataTransfer);
    offer(found);
    if (!found.length) say(byId("adding-fault"), "no_files");
  });
}

function offer(found) {
  files = found;
  const bases = listed().map((base) => h("option", { value: base.name }, base.title || base.name));
  const fresh = h("option", { value: "", say: "new_base" });
  byId("adding-base").replaceChildren(...bases, fresh);
  byId("adding-base").value = wanted()[0] ?? listed()[0]?.name ?? "";
  if (!byId("adding-name").value || found.length) byId("adding-name").value = nameOf(found);
  say(byId("adding-fault"), "");
  tellFiles();
  settle();
  if (!byId("adding").open) byId("adding").showModal();
  (found.length ? byId("adding-go") : byId("choose-folder")).focus();
}

function tellFiles() {
  const size = Math.max(0.1, Math.round((10 * files.reduce((sum, { file }) => sum + file.size, 0)) / MEGABYTE) / 10);
  const what = byId("adding-what");
  if (!files.length) say(what, "");
  else say(what, "chosen_files", { count: files.length, size });
}

function settle() {
  byId("adding-new").hidden = byId("adding-base").value !== "";
}

function nameOf(found) {
  const folder = found[0]?.path.includes("/") ? found[0].path.split("/")[0] : "";
  const plain = folder.replace(/[^A-Za-z0-9]/g, "").replace(/^[0-9]+/, "");
  return plain ? plain[0].toUpperCase() + plain.slice(1) : "Documents";
}

async function send(done) {
  const fault = byId("adding-fault");
  say(fault, "");
  if (!files.length) return say(fault, "choose_first");
  if (files.some(({ path }) => path.split("/").at(-1) === RULES)) return say(fault, "rules_file", { name: RULES });
  let base = byId("adding-base").value;
  try {
    base ||= await made(byId("adding-name").value.trim());
  } catch (error) {
    return say(fault, ...faultText(error));
  }
  if (!base) return say(fault, "name_wrong");
  byId("adding").close();
  const brought = files;
  files = [];
  return bring(base, brought, done);
}

async function made(name) {
  if (!NAME.test(name)) return "";
  await call("v1/kb", { method: "POST", body: { name } });
  await refresh();
  return name;
}
