"""What stands beside an answer is in its language."""

from __future__ import annotations

from weft.cli.terminal.texts import noted


def test_a_note_is_announced_in_its_own_language() -> None:
    assert noted("Worked out over 3 rows.") == "note: Worked out over 3 rows."
    assert (
        noted("읽을 수 있는 3개 행에서 계산했습니다.")
        == "참고: 읽을 수 있는 3개 행에서 계산했습니다."
    )
