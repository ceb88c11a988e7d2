"""Who may ask, managed on the command line."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from flow.http_world import running, workspace
from weft.cli.verbs import command_line

Weft = Callable[..., Any]


class Called:
    """The command line in this process: each call gives its JSON, or the code it ended with."""

    def __init__(self) -> None:
        self.runner = CliRunner()

    def json(self, *words: str, told: str | None = None) -> Any:
        code, out = self.plain(*words, "--json", told=told)
        assert code == 0, out
        return json.loads(out)

    def error(self, *words: str, told: str | None = None) -> tuple[int, str]:
        code, out = self.plain(*words, "--json", told=told)
        assert code != 0, out
        return code, str(json.loads(out)["error"]["message"])

    def plain(self, *words: str, told: str | None = None) -> tuple[int, str]:
        done = self.runner.invoke(command_line(words[0]), words, input=told)
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        return done.exit_code, done.stdout


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return workspace(tmp_path_factory.mktemp("admin"))


@pytest.fixture
def weft(home: Path, monkeypatch: pytest.MonkeyPatch) -> Called:
    monkeypatch.setenv("WEFT_HOME", str(home))
    return Called()


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Called:
    home = tmp_path / "home"
    home.mkdir()
    (home / "weft.yaml").write_text("embedder: none\n")
    monkeypatch.setenv("WEFT_HOME", str(home))
    return Called()


def test_people_are_added_listed_changed_and_removed(bare: Called) -> None:
    bare.json("admin", "group", "add", "staff")
    juniors = bare.json(
        "admin", "group", "add", "juniors", "--within", "staff", "--role", "auditor"
    )
    assert (juniors["within"], juniors["roles"]) == ("staff", ["auditor"])
    ann = bare.json("admin", "user", "add", "ann", "--group", "juniors")
    assert (ann["kind"], ann["groups"], ann["roles"]) == ("person", ["juniors"], ["user"])
    bot = bare.json("admin", "user", "add", "bot", "--service", "--role", "developer")
    assert (bot["kind"], bot["roles"]) == ("service", ["developer"])
    shown = bare.json("admin", "user", "show", "ANN")
    assert shown["principals"] == ["group:juniors", "group:staff", "tenant:*", "user:ann"]
    assert "audit.read" in shown["permissions"]
    changed = bare.json(
        *("admin", "user", "change", "ann", "--group", "staff", "--without-group", "JUNIORS"),
        *("--role", "curator", "--without-role", "user"),
    )
    assert (changed["groups"], changed["roles"]) == (["staff"], ["curator"])
    listed = bare.json("admin", "group", "list")
    assert [(one["name"], one["users"]) for one in listed] == [("juniors", []), ("staff", ["ann"])]
    outer = bare.json("admin", "group", "change", "juniors", "--within", "")
    assert (outer["within"], outer["roles"]) == ("", ["auditor"])
    assert bare.json("admin", "user", "disable", "ann")["disabled"] is True
    assert bare.json("admin", "user", "show", "ann")["permissions"] == []
    assert bare.json("admin", "user", "enable", "ann")["disabled"] is False
    bare.json("admin", "user", "remove", "bot")
    bare.json("admin", "group", "remove", "juniors")
    assert [one["name"] for one in bare.json("admin", "user", "list")] == ["ann"]
    code, table = bare.plain("admin", "user", "list")
    assert code == 0
    assert [line.split()[:4] for line in table.splitlines()] == [
        ["name", "kind", "groups", "roles"],
        ["ann", "person", "staff", "curator"],
    ]


def test_roles_and_permissions_are_one_table(bare: Called) -> None:
    role = bare.json("admin", "role", "add", "scribe", "--permission", "kb.write")
    assert role == {"name": "scribe", "permissions": ["kb.write"], "built_in": False}
    bare.json("admin", "role", "change", "scribe", "--permission", "kb.read")
    roles = {one["name"]: one for one in bare.json("admin", "role", "list")}
    assert roles["scribe"]["permissions"] == ["kb.read"]
    assert roles["admin"]["built_in"] is True
    table = {one["permission"]: one for one in bare.json("admin", "permissions")}
    assert table["audit.read"]["roles"] == ["admin", "auditor"]
    assert table["platform.tenants"]["roles"] == []
    for row in table.values():
        for name in row["roles"]:
            assert row["permission"] in roles[name]["permissions"]
    bare.json("admin", "role", "remove", "scribe")
    assert "scribe" not in {one["name"] for one in bare.json("admin", "role", "list")}


@pytest.mark.parametrize(
    ("words", "code", "named"),
    [
        ("user add owner", 2, "owner"),
        ("user add a:b", 2, "a:b"),
        ("user add x --group nowhere", 3, "nowhere"),
        ("user add x --role boss", 2, "boss"),
        ("user show nobody", 3, "nobody"),
        ("user change nobody --role user", 3, "nobody"),
        ("user link nobody", 3, "nobody"),
        ("group change nowhere --within x", 3, "nowhere"),
        ("role add admin --permission ask", 2, "admin"),
        ("role add own --permission kb.fly", 2, "kb.fly"),
        ("role add own --permission platform.tenants", 2, "platform.tenants"),
        ("key add --user nobody", 3, "nobody"),
        ("key add --user nobody --expires soon", 2, "soon"),
        ("key add --user nobody --expires 2020-01-01", 2, "2020-01-01"),
        ("key revoke 00ff", 3, "key"),
        ("user list --tenant elsewhere", 2, "elsewhere"),
        ("explain nobody kb.read kb:Main", 3, "nobody"),
        ("explain owner kb.fly kb:Main", 2, "Main"),
        ("explain owner kb.read base:Main", 2, "base:Main"),
        ("explain key:00ff kb.read kb:Main", 3, "key"),
    ],
)
def test_an_error_names_what_is_wrong(bare: Called, words: str, code: int, named: str) -> None:
    ended, message = bare.error("admin", *words.split())
    assert ended == code
    assert named in message


def test_a_password_and_a_link_let_a_person_in(bare: Called) -> None:
    made = bare.json("admin", "user", "add", "ann", "--password-stdin", told="correct horse\n")
    assert made["has_password"] is True
    assert "correct horse" not in json.dumps(made)
    assert bare.error("admin", "user", "add", "bo", "--password-stdin", told="")[0] == 2
    link = bare.json("admin", "user", "link", "ann")
    assert link["path"] == f"/?key={link['key']}"
    bare.json("admin", "user", "disable", "ann")
    assert "shut out" in bare.error("admin", "user", "link", "ann")[1]
    bare.json("admin", "user", "add", "bot", "--service")
    assert "service account" in bare.error("admin", "user", "link", "bot")[1]


def test_a_key_is_shown_once_and_revoked(bare: Called) -> None:
    bare.json("admin", "user", "add", "bot", "--service")
    made = bare.json(
        "admin", "key", "add", "--user", "bot", "--expires", "30d", "--scope", "kb.read"
    )
    assert set(made) == {"id", "key"}
    assert made["key"].startswith(f"weft_{made['id']}_")
    (row,) = bare.json("admin", "key", "list", "--user", "bot")
    assert (row["id"], row["scopes"], row["state"]) == (made["id"], ["kb.read"], "valid")
    assert made["key"] not in json.dumps(row)
    code, out = bare.plain("admin", "key", "list")
    assert code == 0
    assert made["key"] not in out
    about = bare.json("admin", "explain", f"key:{made['id']}", "tool.run", "tool:rag_search")
    assert not about["allowed"]
    assert "limited to kb.read, which does not include tool.run:rag_search" in str(about["grounds"])
    assert bare.json("admin", "explain", "bot", "tool.run", "tool:rag_search")["allowed"]
    assert bare.json("admin", "key", "revoke", made["id"])["state"] == "revoked"
    about = bare.json("admin", "explain", f"key:{made['id']}", "tool.run", "tool:rag_search")
    assert (about["allowed"], "revoked" in about["reason"]) == (False, True)


def test_another_tenant_is_managed_from_outside(bare: Called) -> None:
    bare.json("admin", "tenant", "add", "twin", "--title", "The twin")
    bare.json("admin", "user", "add", "root", "--role", "admin", "--tenant", "twin")
    assert bare.json("admin", "user", "list") == []
    assert [one["name"] for one in bare.json("admin", "user", "list", "--tenant", "twin")] == [
        "root"
    ]
    titles = {one["name"]: one["title"] for one in bare.json("admin", "tenant", "list")}
    assert titles["twin"] == "The twin"


def test_a_base_is_shared_and_the_rights_are_explained(bare: Called, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "plan.md").write_text("# Plan\n\nThe launch is on 3 May.\n")
    bare.json("kb", "create", "Plans")
    shared = bare.json("kb", "share", "Plans", "--default-acl", "group:staff")
    assert shared["default_acl"] == ["group:staff"]
    assert shared["absent"] == ["group:staff"]
    bare.json("ingest", str(tmp_path / "notes"), "--kb", "Plans")
    bare.json("admin", "group", "add", "staff", "--role", "curator")
    bare.json("admin", "user", "add", "ann", "--group", "staff")
    bare.json("admin", "user", "add", "bo")
    shared = bare.json("kb", "share", "Plans", "--reader", "group:staff", "--writer", "user:bo")
    assert shared["before"]["readers"] == ["tenant:*"]
    assert (shared["readers"], shared["writers"]) == (["group:staff"], ["user:bo"])
    assert shared["absent"] == []
    (listed,) = bare.json("kb", "list")
    assert listed["open_to"] == "group:staff, user:bo, you"
    assert bare.json("kb", "stats", "Plans")["default_acl"] == ["group:staff"]

    def allowed(who: str, action: str, target: str) -> tuple[bool, str]:
        told = bare.json("admin", "explain", who, action, target)
        return told["allowed"], " ".join(told["grounds"])

    document = "doc:Plans/file:notes/plan.md"
    may, grounds = allowed("ann", "kb.read", document)
    assert may
    assert "group staff" in grounds
    assert "readers of the document are group:staff, user:owner" in grounds
    may, grounds = allowed("ann", "kb.write", "kb:Plans")
    assert not may
    assert "curator" in grounds
    assert "writers: user:bo" in grounds
    may, grounds = allowed("bo", "kb.write", "kb:Plans")
    assert not may
    assert "No role of bo permits kb.write" in grounds
    may, grounds = allowed("bo", "kb.read", document)
    assert not may
    assert "none of tenant:*, user:bo is among them" in grounds
    assert allowed("owner", "kb.drop", "kb:Plans")[0]
    assert bare.error("admin", "explain", "bo", "kb.read", "doc:Plans/none")[0] == 3


def test_sharing_adds_removes_and_replaces(bare: Called) -> None:
    bare.json("kb", "create", "Plans")

    def share(*words: str) -> list[list[str]]:
        told = bare.json("kb", "share", "Plans", *words)
        return [told["readers"], told["writers"], told["admins"]]

    owner = ["user:owner"]
    assert share() == [["tenant:*"], [], owner]
    assert share("--reader", "group:a", "--reader", "user:b") == [["group:a", "user:b"], [], owner]
    assert share("--reader", "group:c", "--remove", "user:b") == [["group:a", "group:c"], [], owner]
    assert share("--reader", "tenant:*", "--only") == [["tenant:*"], [], owner]
    assert share("--admin", "user:b") == [["tenant:*"], [], ["user:b", "user:owner"]]
    for words, named in (
        (("--reader", "ann"), "ann"),
        (("--remove", "user:nobody"), "user:nobody"),
        (("--only",), "--only"),
        (("--admin", "none", "--only"), "--admin"),
    ):
        code, message = bare.error("kb", "share", "Plans", *words)
        assert code == 2
        assert named in message


@pytest.fixture(scope="module")
def address(home: Path) -> Iterator[str]:
    with running(home) as opened:
        yield opened


def test_a_service_is_signed_in_to_and_left(weft: Called, home: Path, address: str) -> None:
    weft.json("admin", "user", "add", "ann", "--role", "auditor")
    key = weft.json("admin", "key", "add", "--user", "ann")["key"]
    told = weft.json("login", f"{address}/", told=f"{key}\n")
    assert (told["url"], told["name"], told["roles"]) == (address, "ann", ["auditor"])
    kept = home / "services.json"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    code, out = weft.plain("whoami")
    assert code == 0
    assert "user:ann" in out
    assert key not in out + json.dumps(told)
    wrong = key[:-1] + ("A" if key[-1] != "A" else "B")
    assert weft.error("login", address, told=wrong)[0] == 4
    assert weft.json("whoami", address)["name"] == "ann"
    weft.json("admin", "user", "disable", "ann")
    assert weft.error("whoami")[0] == 4
    weft.json("logout")
    assert key not in kept.read_text()
    assert weft.error("logout")[0] == 2
    assert weft.error("logout", address)[0] == 3
    assert weft.json("whoami")["actor"] == "user:owner"


def test_a_service_is_asked_as_who_signed_in(
    weft: Called, home: Path, tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The workspace that asks has no documents; the owner's answers are those of the service."""
    token = (home / "token").read_text()
    weft.json("admin", "user", "add", "guest")
    guest = weft.json("admin", "key", "add", "--user", "guest")["key"]
    monkeypatch.setenv("WEFT_HOME", str(tmp_path))
    weft.json("login", address, told=f"{token}\n")
    asked = ("ask", "Who founded Apollo?", "--remote")
    answer = weft.json(*asked, address)
    assert "Li Wei" in answer["answer"]
    assert answer["sentences"][0]["citations"]
    code, out = weft.plain(*asked, "last")
    assert (code, "Li Wei" in out) == (0, True)
    found = weft.json("search", "Apollo", "--remote", "last", "--top", "1")["hits"]
    assert [hit["title"] for hit in found] == ["Apollo"]
    assert "Apollo" in weft.plain("search", "Apollo", "--remote", "last")[1]
    (base,) = weft.json("kb", "list", "--remote", "last")
    assert base["documents"] == 2
    assert base["title"] in weft.plain("kb", "list", "--remote", "last")[1]
    assert address in weft.error("open", "1")[1]
    assert "--kb" in weft.error("ask", str(home), "Who founded Apollo?", "--remote", "last")[1]
    assert weft.error(*asked, "last", "--flow", "rag")[0] == 2
    assert "no-such-base" in weft.error(*asked, "last", "--kb", "no-such-base")[1]
    assert weft.error(*asked, "http://127.0.0.1:1")[0] == 3
    weft.json("login", address, told=f"{guest}\n")
    assert weft.plain(*asked, "last")[0] == 0
    monkeypatch.setenv("WEFT_HOME", str(home))
    weft.json("kb", "share", base["name"], "--reader", "user:owner")
    monkeypatch.setenv("WEFT_HOME", str(tmp_path))
    code, out = weft.plain(*asked, "last", "--json")
    assert code != 0
    assert "Li Wei" not in out
    assert weft.json("kb", "list", "--remote", "last") == []


@pytest.mark.parametrize("url", ["ftp://a", "host", "http://", "https://u:p@h", "http://h:x/"])
def test_an_address_that_is_none_is_refused(bare: Called, url: str) -> None:
    code, message = bare.error("login", url, told="key\n")
    assert code == 2
    assert "address" in message
