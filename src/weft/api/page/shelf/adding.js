// Adding documents: what is dropped or chosen, into which knowledge base.
import { call } from "../api.js";
import { carriesFiles, chosenFiles, dropped } from "./drop.js";
import { faultText } from "../fault.js";
import { sifted } from "./names.js";
import { baseName, listed, refresh, wanted } from "./shelf.js";
import { bring } from "./tray.js";
import { byId, h, say } from "../view.js";

const LONGEST_NAME = 60;
const NONE = "?";
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
  // Where no folder can be chosen (most phones), nobody is asked to.
  byId("choose-folder").hidden = !("webkitdirectory" in byId("folder")) || !matchMedia("(any-pointer: fine)").matches;
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
  const bases = listed().map((base) => h("option", { value: base.name }, baseName(base.name)));
  const none = h("option", { value: NONE, disabled: true, say: "which_base" });
  const fresh = h("option", { value: "", say: "new_base" });
  byId("adding-base").replaceChildren(...(bases.length ? [none] : []), ...bases, fresh);
  const sure = wanted().length === 1 ? wanted() : listed().map((base) => base.name);
  byId("adding-base").value = sure.length > 1 ? NONE : (sure[0] ?? "");
  if (!byId("adding-title-of-base").value || found.length) byId("adding-title-of-base").value = titleOf(found);
  say(byId("adding-fault"), "");
  tellFiles();
  settle();
  if (!byId("adding").open) byId("adding").showModal();
  const first = byId("choose-folder").hidden ? "choose-files" : "choose-folder";
  const next = byId("adding-base").value === NONE ? "adding-base" : "adding-go";
  byId(found.length ? next : first).focus();
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

function titleOf(found) {
  return found[0]?.path.includes("/") ? found[0].path.split("/")[0] : "";
}

/** Return a name for a title: its plain letters, or one made up; `isTaken` asks for another one. */
function nameOf(title, isTaken) {
  const plain = title.replace(/[^A-Za-z0-9]/g, "").replace(/^[0-9]+/, "").slice(0, LONGEST_NAME);
  const number = Array.from(crypto.getRandomValues(new Uint8Array(4)), (one) => one.toString(16).padStart(2, "0")).join("");
  return plain && !isTaken ? plain[0].toUpperCase() + plain.slice(1) : `${plain || "Base"}${number}`;
}

async function send(done) {
  const fault = byId("adding-fault");
  say(fault, "");
  if (!files.length) return say(fault, "choose_first");
  if (files.some(({ path }) => path.split("/").at(-1) === RULES)) return say(fault, "rules_file", { name: RULES });
  const { taken, left } = sifted(files);
  if (!taken.length) return say(fault, "left_all", { path: left[0].path, why: left[0].why });
  let base = byId("adding-base").value;
  if (base === NONE) return say(fault, "which_base");
  const title = byId("adding-title-of-base").value.trim();
  if (!base && !title) return say(fault, "title_first");
  if (!base && listed().some((each) => baseName(each.name) === title)) return say(fault, "title_taken");
  try {
    base ||= await made(title);
  } catch (error) {
    return say(fault, ...faultText(error));
  }
  byId("adding").close();
  files = [];
  return bring(base, { files: taken, left }, done);
}

function isListed(name) {
  return listed().some((base) => base.name.toLowerCase() === name.toLowerCase());
}

async function made(title, isTaken = isListed(nameOf(title, false))) {
  const name = nameOf(title, isTaken);
  try {
    await call("v1/kb", { method: "POST", body: { name, title } });
  } catch (error) {
    if (isTaken || error.code !== "knowledge_base_exists") throw error;
    return made(title, true);
  }
  await refresh();
  return name;
}
