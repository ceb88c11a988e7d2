"""Verify an exported audit log with Python alone: python verify_audit.py EXPORT KEY [SEQ:MAC]."""

import hmac
import json
import sys

SEALED = "tenant seq ts phase intent_id actor action target decision reason run_id request_id"
SEALED = (*SEALED.split(), "meta", "prev")  # what the mac of a row covers, in this order
written = json.JSONEncoder(separators=(",", ":"), sort_keys=True).encode


def check(holds: object, why: str) -> None:
    """Raise an error where something does not hold."""
    if not holds:
        raise ValueError(why)


def _mac(key: bytes, *values: object) -> str:
    return hmac.digest(key, written(values).encode(), "sha256").hex()


def verify(lines: list[str], key: bytes, known: tuple[int, str] = (0, "")) -> None:
    """Raise an error that names the first bad line; `known` is a head that was kept elsewhere."""
    first, last, number, end = 0, {"seq": 0, "mac": ""}, 0, None
    try:
        for number, line in enumerate(lines, 1):
            given = row = json.loads(line)
            check(end is None and written(given) == line, "the line was changed or added")
            if "unmapped" in given:  # an event of OCSF, sealed as a whole
                seal, row = given["unmapped"].pop("seal"), given["unmapped"]
                row = row.get("row", row)
                told = ("statement", row.get("end", row)["tenant"], "event", written(given))
                check(seal == _mac(key, *told), "the event was changed")
            if (end := row.get("end")) is None:
                check({*row} == {*SEALED, "mac"}, "it is no row")
                check(row["mac"] == _mac(key, "row", *map(row.get, SEALED)), "the row was changed")
                check(not first or row["prev"] == last["mac"], f"no row follows line {number - 1}")
                check(row["seq"] != known[0] or row["mac"] == known[1], "another row was known")
                first, last = first or row["seq"], row
        here = {"first": first, "mac": last["mac"], "seq": last["seq"], "tenant": end["tenant"]}
        here["seal"] = _mac(key, "statement", end["tenant"], "export", written(here))
        check(row == {"end": here} and known[0] <= last["seq"], "rows are missing")
    except (AttributeError, KeyError, TypeError, ValueError) as wrong:
        raise SystemExit(f"line {number}: {wrong}") from wrong


if __name__ == "__main__":
    seq, _, known = sys.argv[3].partition(":") if sys.argv[3:] else ("0", "", "")
    with open(sys.argv[1]) as export, open(sys.argv[2], "rb") as secret:
        verify(export.read().splitlines(), secret.read(), (int(seq), known))
