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

/** Return a text with its values put in: numbers as the language writes them, [key, values] as texts. */
export function t(key, values = {}) {
  const numbers = new Intl.NumberFormat(language);
  return (TABLES[language][key] ?? key).replace(/\{(\w+)\}/g, (_, name) => {
    const value = values[name] ?? "";
    if (Array.isArray(value)) return t(...value);
    return typeof value === "number" ? numbers.format(value) : String(value);
  });
}
