// Spans: the service counts code points, JavaScript counts UTF-16 units.

/** Return the UTF-16 offsets of ascending code point offsets, in one pass over the text. */
export function unitsOf(text, points) {
  const found = [];
  let unit = 0;
  let point = 0;
  for (const wanted of points) {
    while (point < wanted && unit < text.length) {
      unit += text.codePointAt(unit) > 0xffff ? 2 : 1;
      point += 1;
    }
    found.push(unit);
  }
  return found;
}

/** Return citations with `from` and `to`, where they stand in the text as JavaScript counts. */
export function placed(text, citations) {
  const points = [...new Set(citations.flatMap((each) => [each.start, each.end]))];
  points.sort((a, b) => a - b);
  const units = new Map(unitsOf(text, points).map((unit, at) => [points[at], unit]));
  return citations.map((each) => ({ ...each, from: units.get(each.start), to: units.get(each.end) }));
}

/**
 * Return the pieces of a text round its placed citations: [{text, cited}].
 * Citations may overlap; each piece lies wholly inside or outside of every one.
 */
export function piecesOf(text, citations) {
  const inside = citations.flatMap((each) => [each.from, each.to]);
  const cuts = [...new Set([0, text.length, ...inside])].filter((cut) => cut >= 0 && cut <= text.length);
  cuts.sort((a, b) => a - b);
  return cuts.slice(1).map((to, at) => {
    const from = cuts[at];
    const cited = citations.filter((each) => each.from <= from && to <= each.to);
    return { text: text.slice(from, to), cited };
  });
}

const NEAR = 2000;

/** Return the part of a long text round a place and where it begins; all of a short one. */
export function windowed(text, place, size) {
  if (text.length <= size) return { text, offset: 0 };
  const begin = Math.max(0, Math.min(place - Math.floor(size / 2), text.length - size));
  const line = text.lastIndexOf("\n", begin) + 1;
  const offset = begin - line < Math.min(NEAR, size) ? Math.min(line, begin) : between(text, begin);
  return { text: text.slice(offset, between(text, begin + size)), offset };
}

/** Return a place, or the one before it where it would part a character in two. */
function between(text, unit) {
  return text.codePointAt(unit - 1) > 0xffff ? unit - 1 : unit;
}
