// What went wrong, as it is told: by its code, in the language of the page.
import { has } from "./texts.js";

/** Return the text of an error as [key, values]; `fallback` where nothing is known of it. */
export function faultText({ status, code, message }, fallback = "load_failed") {
  if (status === 0) return ["unreachable"];
  if (code && has(`error_${code}`)) return [`error_${code}`, { detail: message }];
  return message ? ["error_other", { detail: message }] : [fallback];
}
