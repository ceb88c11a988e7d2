// Where a document is from: a link only for the web, otherwise the end of its path, as text.
import { harmless } from "./marks.js";

const PARTS = 2;

/** Tell whether an address can be opened as a link. */
export function isWeb(uri) {
  return /^https?:\/\//i.test(uri);
}

/** Return an address to be read: of a file the last parts of its path. */
export function readable(uri) {
  return isWeb(uri) ? uri : decoded(uri).split("/").slice(-PARTS).join("/");
}

/** Return the path of a file's address, the name of what was handed over, or the address as it is. */
export function decoded(uri) {
  try {
    return harmless(decodeURIComponent(uri.replace(/^(file:(\/\/)?|inbox:)/, "")));
  } catch {
    return harmless(uri);
  }
}
