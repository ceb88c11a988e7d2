"""`weft schedule`: made, listed, paused, resumed and removed, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from flow.command import Command, write

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]
NIGHTLY = ("--cron", "0 3 * * *", "--zone", "Asia/Seoul")


@pytest.fixture(scope="module")
def weft(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Command:
    """Return the command beside `docs`."""
    folder = tmp_path_factory.mktemp("desk")
    write(folder / "docs", {"a.txt": "The crane lifts 120 tonnes.\n"})
    return Command(home=home, folder=folder, settings={"WEFT_EMBEDDER": "none"})


def test_a_schedule_is_made_listed_paused_resumed_and_removed(weft: Command) -> None:
    made = weft("schedule", "add", "docs", "--kb", "Night", *NIGHTLY, "--prune", "--json").json
    assert (made["cron"], made["zone"], made["prune"]) == ("0 3 * * *", "Asia/Seoul", True)
    assert made["path"] == str(weft.folder / "docs")
    assert "T18:00:00" in made["next"].replace(" ", "T")  # three in Seoul, in UTC
    name = made["schedule"]
    (listed,) = weft("schedule", "list", "--json").json
    assert listed == made
    assert weft("schedule", "pause", name, "--json").json == {"schedule": name, "status": "paused"}
    assert weft("schedule", "list", "--json").json[0]["paused"] is True
    assert name in weft("schedule", "list").out
    assert weft("schedule", "resume", name).code == 0
    assert weft("schedule", "list", "--json").json[0]["paused"] is False
    assert weft("schedule", "remove", name).code == 0
    assert weft("schedule", "list", "--json").json == []
    gone = weft("schedule", "remove", name, "--json")
    assert gone.code != 0
    assert "not_found" in gone.out
    told = weft("audit", "list", "--action", "schedule.*", "--limit", "200", "--json").json
    changed = [row["action"] for row in told["rows"] if row["target"] == f"schedule:{name}"]
    assert set(changed) == {"schedule.change", "schedule.remove"}
    assert "schedule.add" in {row["action"] for row in told["rows"]}


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("docs", "--cron", "0 3 * *"), "0 3 * *"),
        (("docs", "--cron", "0 99 * * *"), "0 99 * * *"),
        (("docs", "--cron", "0 3 * * *", "--zone", "Mars/Olympus"), "Mars/Olympus"),
        (("nothing-here", "--cron", "0 3 * * *"), "nothing-here"),
    ],
)
def test_what_is_not_valid_is_named(weft: Command, more: tuple[str, ...], said: str) -> None:
    refused = weft("schedule", "add", *more, "--kb", "Night")
    assert refused.code != 0
    assert said in refused.err
    assert weft("schedule", "list", "--json").json == []
