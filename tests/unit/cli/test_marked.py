from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from weft.bootstrap.app import load_settings, open_app
from weft.bootstrap.flows import build_flows
from weft.cli.rendering import print_answer
from weft.domain.answer import Answer, AnswerSentence, Tier
from weft.domain.errors import ConfigurationError
from weft.domain.ids import RunId
from weft.verification.citations import Unsupported

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("policy", list(Unsupported))
async def test_the_setting_says_what_becomes_of_what_is_borne_out_in_part(
    tmp_path: Path, policy: Unsupported
) -> None:
    (tmp_path / "weft.yaml").write_text(f"embedder: none\nunsupported: {policy}\n")
    app = await open_app(load_settings(tmp_path))
    try:
        assert build_flows(app).services.unsupported is policy
    finally:
        await app.close()


def test_another_policy_is_no_setting(tmp_path: Path) -> None:
    (tmp_path / "weft.yaml").write_text("unsupported: keep\n")
    with pytest.raises(ConfigurationError, match="unsupported"):
        load_settings(tmp_path)


def test_what_is_borne_out_in_part_is_printed_as_such() -> None:
    sentence = AnswerSentence(
        text="The bridge was opened by Olga in 1933.",
        tier=Tier.PARTLY,
        citations=(),
        missing=("Olga", "1933"),
    )
    answer = Answer(
        answer=sentence.text,
        sentences=(sentence,),
        refused=False,
        missing=(),
        run_id=RunId("r"),
        offline=False,
    )
    written = StringIO()
    print_answer(Console(file=written, width=200), answer, question="Who opened it?")
    assert "borne out in part; missing: Olga, 1933" in written.getvalue()
