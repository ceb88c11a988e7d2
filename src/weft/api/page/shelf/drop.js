// Files and folders, dropped or chosen, with their paths below the folder they came in.

/** Return the files of a drop as [{file, path}]; hidden ones stay out. */
export async function dropped(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  const found = [];
  for (const entry of entries) await walk(entry, "", found);
  return found;
}

/** Return the files that an input holds, as `dropped` does. */
export function chosenFiles(input) {
  const found = [...input.files].map((file) => ({ file, path: file.webkitRelativePath || file.name }));
  return found.filter(({ path }) => !isHidden(path));
}

/** Tell whether a drag carries files. */
export function carriesFiles(event) {
  return [...(event.dataTransfer?.types ?? [])].includes("Files");
}

async function walk(entry, above, found) {
  const path = above + entry.name;
  if (isHidden(path)) return;
  if (entry.isFile) {
    found.push({ file: await new Promise((good, bad) => entry.file(good, bad)), path });
    return;
  }
  const reader = entry.createReader();
  for (;;) {
    // A reader gives a hundred entries at a time and an empty list at the end.
    const some = await new Promise((good, bad) => reader.readEntries(good, bad));
    if (!some.length) return;
    for (const each of some) await walk(each, `${path}/`, found);
  }
}

function isHidden(path) {
  return path.split("/").some((part) => part.startsWith("."));
}
