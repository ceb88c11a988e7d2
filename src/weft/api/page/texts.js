// The texts of the page, in the language that it speaks.
import { EN } from "./english.js";
import { KO } from "./korean.js";

const TABLES = { en: EN, ko: KO };
let language = "en";

/** Return the language that the page speaks: en or ko. */
export function spoken() {
  return language;
}

/** Speak a language; an unknown one becomes English. */
export function speak(wanted) {
  language = wanted in TABLES ? wanted : "en";
}

/** Tell whether the table has a text. */
export function has(key) {
  return key in EN;
}

/**
 * Return a text with its values put in: numbers as the language writes them, [key, values] as texts.
 * `{count:file|files}` is the word that goes with a number.
 */
export function t(key, values = {}) {
  return (TABLES[language][key] ?? key).replace(/\{(\w+)(?::([^|}]*)\|([^}]*))?\}/g, (_, name, one, other) => {
    const value = values[name] ?? "";
    if (one !== undefined) return new Intl.PluralRules(language).select(Number(value)) === "one" ? one : other;
    if (Array.isArray(value)) return t(...value);
    return typeof value === "number" ? new Intl.NumberFormat(language).format(value) : String(value);
  });
}
