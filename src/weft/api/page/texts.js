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

/** Tell whether an English text of the service is the table's own, which is said in the page's language. */
export function isOwn(key, said) {
  return EN[key] === said;
}

/**
 * Return a text with its values put in: numbers as the language writes them, [key, values] as texts.
 * `{count:file|files}` is the word that goes with a number. In Korean a particle that is written in
 * both forms, as 을(를), takes the one that fits what was put in before it.
 */
export function t(key, values = {}) {
  const said = (TABLES[language][key] ?? key).replace(/\{(\w+)(?::([^|}]*)\|([^}]*))?\}/g, (_, name, one, other) => {
    const value = values[name] ?? "";
    if (one !== undefined) return new Intl.PluralRules(language).select(Number(value)) === "one" ? one : other;
    if (Array.isArray(value)) return t(...value);
    return typeof value === "number" ? new Intl.NumberFormat(language).format(value) : String(value);
  });
  return language === "ko" ? agreeing(said) : said;
}

const PAIRS = /([가-힣0-9])([”’"')\]]*)(?:(을|은|과|이)\((를|는|와|가)\)|(와)\((과)\)|(\()으\)(로))/g;
const CODAS = 28;
const COMING_LIKE_L = 8;
// How the digits end when they are read: with a consonant, with ㄹ, or open.
const READ = { 0: "영", 1: "일", 2: "이", 3: "삼", 4: "사", 5: "오", 6: "육", 7: "칠", 8: "팔", 9: "구" };

/** Return a Korean text with the particles that fit the sound before them. */
function agreeing(said) {
  return said.replace(PAIRS, (_, last, quotes, closed, open, openFirst, closedSecond, _sign, ro) => {
    const coda = ((READ[last] ?? last).charCodeAt(0) - "가".charCodeAt(0)) % CODAS;
    if (ro) return last + quotes + (coda && coda !== COMING_LIKE_L ? "으로" : "로");
    return last + quotes + (coda ? (closed ?? closedSecond) : (open ?? openFirst));
  });
}
