"""What somebody tries who wants more than they were given; all of it fails."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from flow.http_world import over, workspace
from flow.people_world import PeopleWorld, dependencies, peopled
from weft.adapters.sql.people.names import checked_name
from weft.domain.acl import principal_key
from weft.domain.errors import BadInput
from weft.platform.people.browser_sessions import BrowserSessions
from weft.platform.people.invitation import invite

UNLIMITED = "embedder: none\nrate_tenant: 0\nrate_user: 0\nrate_key: 0\n"
PAGE = {"Sec-Fetch-Site": "same-origin"}
PASSWORD = "correct horse"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PeopleWorld]:
    people = {
        "ann": "user @staff",
        "bob": "curator",
        "cara": "curator",
        "dan": "admin",
        "eve": "auditor",
        "twin/bob": "admin",
    }
    with peopled(workspace(tmp_path_factory.mktemp("attacks"), UNLIMITED), people) as made:
        made.add_group("ann")
        yield made


@contextmanager
def browser(world: PeopleWorld) -> Iterator[TestClient]:
    """Yield a client that has no token, and at the end no cookie either."""
    kept = world.client.headers.pop("Authorization")
    try:
        world.client.cookies.clear()
        yield world.client
    finally:
        world.client.cookies.clear()
        world.client.headers["Authorization"] = kept


def signed_in(client: TestClient, name: str, password: str = PASSWORD) -> int:
    body = {"name": name, "password": password}
    return client.post("/v1/sign-in", json=body, headers=PAGE).status_code


def person(world: PeopleWorld, name: str, *roles: str) -> None:
    body = {"name": name, "password": PASSWORD, "roles": [*roles]}
    assert world.ask("local/dan", "POST", "/v1/admin/users", json=body).status_code == 201


@pytest.mark.parametrize("name", ["owner", "OWNER", "ｏｗｎｅｒ", "Ｏwner"])
def test_nobody_is_given_the_owners_name_however_it_is_written(
    world: PeopleWorld, name: str
) -> None:
    body = {"name": name, "password": PASSWORD, "roles": ["user"]}
    assert world.ask("local/dan", "POST", "/v1/admin/users", json=body).status_code == 422
    with browser(world) as client:
        assert signed_in(client, "owner") == 401
        assert client.get("/v1/me").status_code == 401


@pytest.mark.parametrize(
    ("first", "second"),
    [("gil", "ＧＩＬ"), ("straße", "STRASSE"), ("ﬁona", "fiona"), ("josé", "jose\u0301")],
)
def test_twins_of_a_name_are_one_name(world: PeopleWorld, first: str, second: str) -> None:
    person(world, first)
    body = {"name": second, "roles": ["user"]}
    assert world.ask("local/dan", "POST", "/v1/admin/users", json=body).status_code == 409
    assert principal_key(first) == principal_key(second) == principal_key(principal_key(second))


@pytest.mark.parametrize("name", ["a\u200bnn", "a\u202enn", "ann\n", "ann ", "a\x00n", "-ann", ""])
def test_a_name_has_no_sign_that_is_not_seen(name: str) -> None:
    with pytest.raises(BadInput):
        checked_name(name, of="user")


def test_a_session_ends_with_the_password_however_the_name_was_written(world: PeopleWorld) -> None:
    person(world, "Hanna", "user")
    with browser(world) as client:
        assert signed_in(client, "HANNA") == 204
        assert client.get("/v1/me").json()["name"] == "Hanna"
        stolen = dict(client.cookies)
        client.cookies.clear()
        new = {"password": "another long one"}
        changed = world.ask("local/dan", "PATCH", "/v1/admin/users/hanna", json=new)
        assert changed.status_code == 200
        client.cookies.update(stolen)
        assert client.get("/v1/me").status_code == 401


def test_signing_out_everywhere_ends_sessions_of_every_spelling(world: PeopleWorld) -> None:
    person(world, "Ines", "user")
    with browser(world) as client:
        assert signed_in(client, "INES") == 204
        stolen = dict(client.cookies)
        client.cookies.clear()
        assert signed_in(client, "ines") == 204
        assert client.post("/v1/sign-out?all=true", headers=PAGE).status_code == 204
        client.cookies.clear()
        client.cookies.update(stolen)
        assert client.get("/v1/me").status_code == 401


def test_who_may_do_nothing_but_audit_can_still_sign_out(world: PeopleWorld) -> None:
    person(world, "olga", "auditor")
    with browser(world) as client:
        assert signed_in(client, "olga") == 204
        assert client.post("/v1/sign-out", headers=PAGE).status_code == 204
        assert client.get("/v1/me").status_code == 401


def test_guesses_at_one_password_are_counted_together(world: PeopleWorld) -> None:
    spellings = [
        "kim",
        "Kim",
        "ｋim",
        "kｉm",
        "kiｍ",
        "ｋｉm",
        "ｋｉｍ",
        "KIM",
        "kIM",
        "ｋIM",
        "KiM",
    ]
    with browser(world) as client:
        told = [signed_in(client, name, "guess guess") for name in spellings]
    assert told == [401] * 10 + [429]


def test_a_session_is_not_the_one_that_was_planted(world: PeopleWorld) -> None:
    person(world, "mia", "user")
    with browser(world) as client:
        name = dependencies(world.client).gate.cookie_name({"server": ("testserver", 80)})
        client.cookies.set(name, "planted")
        client.cookies.set("X-Session-ID", "planted")
        assert signed_in(client, "mia") == 204
        given = [value for value in client.cookies.jar if value.name == name]
        assert {each.value for each in given} - {"planted"}
        assert client.get("/chat/history").json()["session_id"] == ""


def test_a_cookie_opens_one_port_of_one_workspace(world: PeopleWorld, tmp_path: Path) -> None:
    home = dependencies(world.client).host.settings.home
    ours = BrowserSessions(home, (home / "token").read_text())
    value = ours.begin(80, tenant="local", user="dan")
    assert ours.read(value, 80) is not None
    assert ours.read(value, 8765) is None
    assert BrowserSessions(tmp_path, "another secret").read(value, 80) is None
    wrong = [value[:-1], value + "0", value.upper(), " " + value, value + "\n", "." + value, "...."]
    assert [ours.read(one, 80) for one in wrong] == [None] * len(wrong)


@pytest.mark.parametrize("site", ["cross-site", "same-site", "none", ""])
def test_no_other_page_changes_anything_by_a_persons_cookie(world: PeopleWorld, site: str) -> None:
    person(world, f"ned{site or 'x'}", "curator")
    with browser(world) as client:
        assert signed_in(client, f"ned{site or 'x'}") == 204
        elsewhere = {"Sec-Fetch-Site": site} if site else {"Origin": "http://evil.example"}
        made = client.post("/v1/kb", json={"name": "Forged"}, headers=elsewhere)
        assert made.status_code == 403
        assert client.post("/v1/kb", json={"name": "Forged"}).status_code == 403
        body = {"name": "dan", "password": PASSWORD}
        assert client.post("/v1/sign-in", json=body, headers=elsewhere).status_code == 403


def test_an_invitation_from_another_site_takes_nobodys_session_away(world: PeopleWorld) -> None:
    person(world, "pia", "user")
    person(world, "rex", "user")
    home = dependencies(world.client).host.settings.home
    link = f"/?key={invite(home, tenant='local', user='rex')}"
    with browser(world) as client:
        assert signed_in(client, "pia") == 204
        planted = client.get(link, headers={"Sec-Fetch-Site": "cross-site"}, follow_redirects=False)
        assert planted.status_code == 303
        assert client.get("/v1/me").json()["name"] == "pia"


def odd(key: str) -> dict[str, str]:
    """Return what is no key, by what is odd about it."""
    _, key_id, secret = key.split("_", 2)
    head = "eyJhbGciOiJub25lIn0"
    return {
        "no scheme": key,
        "another scheme": f"Basic {key}",
        "a tab": f"Bearer\t{key}",
        "swapped case": f"Bearer {key.swapcase()}",
        "upper case id": f"Bearer weft_{key_id.upper()}_{secret}",
        "a comma": f"Bearer {key},",
        "twice": f"Bearer {key}, Bearer {key}",
        "a quote": f'Bearer "{key}"',
        "a part": f"Bearer {key[:-1]}",
        "one more": f"Bearer {key}A",
        "the id alone": f"Bearer weft_{key_id}_",
        "unsigned": f"Bearer {head}.eyJzdWIiOiJvd25lciIsInRlbmFudCI6ImxvY2FsIn0.",
        "three parts": "Bearer a.b.c",
        "empty parts": "Bearer ..",
        "owner": "Bearer owner",
        "nothing": "Bearer ",
        "blanks": "Bearer      ",
        "not ASCII": "Bearer \xff\xfe",
    }


def test_what_is_nearly_a_key_is_no_key(world: PeopleWorld) -> None:
    for case, value in odd(world.keys["local/ann"]).items():
        sent = {"Authorization": value.encode("latin-1")}
        assert world.ask("", "GET", "/v1/me", headers=sent).status_code == 401, case


def test_two_tokens_at_once_are_none(world: PeopleWorld) -> None:
    both = [world.keys["local/ann"], world.keys["local/dan"]]
    with browser(world) as client:
        for first, second in (both, both[::-1], [both[0], both[0]]):
            sent = [("Authorization", f"Bearer {first}"), ("Authorization", f"Bearer {second}")]
            assert client.get("/v1/me", headers=sent).status_code == 401


FORGED = (
    "X-Forwarded-User X-Remote-User X-User X-Auth-Request-User X-Forwarded-Email X-Tenant"
    " X-Tenant-ID X-Forwarded-For Forwarded X-Real-IP X-Original-URL X-Rewrite-URL"
    " X-HTTP-Method-Override X-Weft-User X-Weft-Tenant Proxy-Authorization"
)


def test_headers_of_proxies_say_nothing_of_who_asks(world: PeopleWorld) -> None:
    claimed = dict.fromkeys(FORGED.split(), "owner")
    plain = world.ask("local/ann", "GET", "/v1/me").json()
    assert world.ask("local/ann", "GET", "/v1/me", headers=claimed).json() == plain
    assert world.ask("", "GET", "/v1/me", headers=claimed).status_code == 401
    changed = {**claimed, "X-HTTP-Method-Override": "DELETE"}
    assert world.ask("local/ann", "POST", "/v1/kb", json={}, headers=changed).status_code == 403
    query = "?tenant=twin&user=owner&actor=user:owner"
    assert world.ask("local/ann", "GET", f"/v1/me{query}").json() == plain


def base(world: PeopleWorld, name: str, **sharing: list[str]) -> None:
    assert world.ask("local/cara", "POST", "/v1/kb", json={"name": name}).status_code == 201
    if sharing:
        shared = world.ask("local/cara", "PATCH", f"/v1/kb/{name}", json=sharing)
        assert shared.status_code == 200, shared.text


def filled(world: PeopleWorld, name: str, *records: dict[str, Any], who: str = "local/cara") -> str:
    sent = world.ask(who, "POST", f"/v1/kb/{name}/documents", json={"records": [*records]})
    assert sent.status_code == 202, sent.text
    run_id = str(sent.json()["run_id"])
    return str(over(lambda: world.ask(who, "GET", f"/v1/runs/{run_id}").json())["status"])


CANARY = "Zanzibar Quokka"


def titles(world: PeopleWorld, who: str, name: str) -> list[str]:
    listed = world.ask(who, "GET", f"/v1/kb/{name}/documents").json()["items"]
    return [str(each["title"]) for each in listed]


def test_a_document_names_no_other_tenant_and_no_group_by_a_users_name(world: PeopleWorld) -> None:
    base(world, "Acls")
    world.add("ned", groups=("ann",))
    for count, acl in enumerate(["tenant:twin", "tenant:other", "tenant:local", "user:ann"]):
        record = {"id": f"r{count}", "title": acl, "content": f"{CANARY}. {acl}", "acl": [acl]}
        assert filled(world, "Acls", record) == "finished"
    assert titles(world, "local/ned", "Acls") == []
    assert titles(world, "local/bob", "Acls") == []
    assert titles(world, "local/ann", "Acls") == ["user:ann"]
    assert world.ask("twin/bob", "POST", "/v1/kb", json={"name": "Acls"}).status_code == 201
    assert titles(world, "twin/bob", "Acls") == []
    found = world.ask("twin/bob", "POST", "/v1/search", json={"query": CANARY}).json()
    assert found["evidence"] == []


def test_the_same_key_of_two_people_makes_two_things(world: PeopleWorld) -> None:
    once = {"Idempotency-Key": "shared"}
    made = {
        who: world.ask(who, "POST", "/v1/sessions", headers=once).json()["session_id"]
        for who in ("local/ann", "local/bob", "twin/bob", "local/ann")
    }
    again = world.ask("local/ann", "POST", "/v1/sessions", headers=once)
    assert again.headers["Idempotent-Replayed"] == "true"
    assert again.json()["session_id"] == made["local/ann"]
    assert len(set(made.values())) == 3


def test_a_cursor_opens_nothing_that_its_holder_may_not_read(world: PeopleWorld) -> None:
    base(world, "Cursors")
    records = [
        {"id": f"c{n}", "title": f"c{n}", "content": f"Number {n}.", "acl": acl}
        for n, acl in enumerate([["tenant:*"], ["user:ann"], ["user:ann"], ["tenant:*"]])
    ]
    assert filled(world, "Cursors", *records) == "finished"
    first = world.ask("local/ann", "GET", "/v1/kb/Cursors/documents?limit=2").json()
    given = f"/v1/kb/Cursors/documents?limit=2&cursor={first['next']}"
    assert [each["title"] for each in world.ask("local/bob", "GET", given).json()["items"]] == [
        "c3"
    ]
    for path in ("/v1/runs", "/v1/conversations?everywhere=true", "/v1/kb"):
        mark = "&" if "?" in path else "?"
        asked = world.ask("local/ann", "POST", "/v1/conversations")
        assert asked.status_code == 201
        page = world.ask("local/ann", "GET", f"{path}{mark}limit=1").json()
        theirs = world.ask("twin/bob", "GET", f"{path}{mark}cursor={page['next']}")
        assert theirs.status_code == 200
        whole = world.ask("twin/bob", "GET", path).json()["items"]
        assert all(each in whole for each in theirs.json()["items"])


def test_what_a_removed_user_said_is_nobodys(world: PeopleWorld) -> None:
    world.add("sam")
    opened = world.ask("local/sam", "POST", "/v1/conversations").json()
    assert world.ask("local/dan", "DELETE", "/v1/admin/users/sam").status_code == 204
    for name in ("sam", "Sam", "ｓａｍ"):
        body = {"name": name}
        assert world.ask("local/dan", "POST", "/v1/admin/users", json=body).status_code == 409
    for who in ("local/dan", "local/ann"):
        for path in ("/v1/conversations", "/chat/history?conversation_id="):
            slash = "" if path.endswith("=") else "/"
            found = world.ask(who, "GET", f"{path}{slash}{opened['id']}")
            assert found.status_code == 404
    assert world.ask("local/sam", "GET", f"/v1/conversations/{opened['id']}").status_code == 401


def test_no_list_and_no_error_names_a_base_that_is_closed(world: PeopleWorld) -> None:
    base(world, "Quokka", readers=["group:staff"], writers=["user:cara"])
    for path in ("/v1/models", "/v1/kb", "/graph", "/graph/stats", "/index/stats", "/agents"):
        assert "quokka" not in world.ask("local/bob", "GET", path).text.casefold(), path
    for wanted, absent in (("Quokka", "Quokk1"), ("quokka", "quokk1"), ("QUOKKA", "QUOKK1")):
        for hidden, missing in zip(told_of(wanted), told_of(absent), strict=True):
            (method, path, body), (_, other, instead) = hidden, missing
            theirs = without_id(world.ask("local/bob", method, path, json=body).text)
            nobodys = without_id(world.ask("local/bob", method, other, json=instead).text)
            assert theirs == nobodys.replace(absent, wanted), (method, path)
    taken = world.ask("local/bob", "POST", "/v1/kb", json={"name": "qUOKKA"})
    assert taken.status_code == 409
    assert "Quokka" not in taken.text


def told_of(name: str) -> list[tuple[str, str, Any]]:
    question = {"messages": [{"role": "user", "content": "Who founded Apollo?"}]}
    return [
        ("GET", f"/v1/kb/{name}", None),
        ("GET", f"/v1/kb/{name}/documents", None),
        ("GET", f"/v1/kb/{name}/ledger", None),
        ("GET", f"/v1/suggestions?kb={name}", None),
        ("POST", "/v1/chat/completions", {"model": f"weft:{name}", **question}),
        ("POST", "/v1/responses", {"model": f"weft:{name}", "input": "Who founded Apollo?"}),
        ("POST", "/v1/search", {"query": "Apollo", "kb": [name]}),
        ("POST", "/ask", {"question": "Who founded Apollo?", "kb": [name]}),
        ("PATCH", f"/v1/kb/{name}", {"title": "mine"}),
        ("DELETE", f"/v1/kb/{name}", None),
    ]


def without_id(said: str) -> str:
    return re.sub(r'"request_id":"[^"]*"', "", said)


def test_who_may_drop_some_base_drops_none_of_anothers(world: PeopleWorld) -> None:
    role = {"name": "droppers", "permissions": ["kb.read", "kb.admin", "kb.drop", "run.read"]}
    assert world.client.post("/v1/admin/roles", json=role).status_code == 201
    world.add("vic", roles=("droppers",))
    base(world, "Kept")
    record = {"id": "k", "title": "K", "content": "Kept is here.", "acl": ["user:cara"]}
    assert filled(world, "Kept", record) == "finished"
    home = dependencies(world.client).host.settings.home
    before = sorted(path for path in (home / "inbox").rglob("*") if path.is_file())
    assert world.ask("local/vic", "DELETE", "/v1/kb/Kept").status_code == 403
    assert sorted(path for path in (home / "inbox").rglob("*") if path.is_file()) == before
    assert titles(world, "local/cara", "Kept") == ["K"]


def test_who_may_fill_a_base_replaces_nothing_that_they_cannot_see(world: PeopleWorld) -> None:
    base(world, "Filled", writers=["user:bob"])
    mine = {"id": "one", "title": "Hers", "content": "Hers.", "acl": ["user:cara"]}
    assert filled(world, "Filled", mine) == "finished"
    sent = {"records": [{"id": "one", "title": "His", "content": "His."}]}
    theirs = world.ask("local/bob", "POST", "/v1/kb/Filled/documents", json=sent)
    assert theirs.status_code == 422
    assert titles(world, "local/cara", "Filled") == ["Hers"]
    for method, body in (("PATCH", {"title": "His"}), ("DELETE", None), ("GET", None)):
        ours = world.ask("local/cara", "GET", "/v1/kb/Filled/documents").json()["items"][0]["id"]
        path = f"/v1/kb/Filled/documents/{ours}"
        assert world.ask("local/bob", method, path, json=body).status_code == 404


def test_rights_that_were_granted_are_no_way_to_more(world: PeopleWorld) -> None:
    role = {"name": "keepers", "permissions": ["admin.keys", "admin.users", "admin.groups"]}
    assert world.client.post("/v1/admin/roles", json=role).status_code == 201
    world.add("wim", roles=("keepers",))
    world.add_group("bosses")
    given = {"roles": ["admin"]}
    assert world.ask("local/dan", "PATCH", "/v1/admin/groups/bosses", json=given).status_code == 200
    tries: list[tuple[str, str, Any]] = [
        ("POST", "/v1/admin/keys", {"user": "dan"}),
        ("POST", "/v1/admin/keys", {"user": "DAN", "scopes": ["kb.read"]}),
        ("PATCH", "/v1/admin/users/wim", {"groups": ["bosses"]}),
        ("PATCH", "/v1/admin/users/wim", {"groups": ["BOSSES"]}),
        ("PATCH", "/v1/admin/users/wim", {"groups": ["ｂosses"]}),
        ("PATCH", "/v1/admin/users/WIM", {"roles": ["admin"]}),
        ("PATCH", "/v1/admin/users/dan", {"disabled": True}),
        ("DELETE", "/v1/admin/users/dan", None),
        ("POST", "/v1/admin/users", {"name": "own", "groups": ["Bosses"], "roles": ["keepers"]}),
        ("POST", "/v1/admin/groups", {"name": "inner", "within": "BOSSES"}),
        ("POST", "/v1/admin/groups", {"name": "inner", "roles": ["admin"]}),
        ("DELETE", "/v1/admin/groups/bosses", None),
        ("POST", "/v1/admin/roles", {"name": "mine", "permissions": ["ask"]}),
    ]
    for method, path, body in tries:
        assert world.ask("local/wim", method, path, json=body).status_code == 403, (path, body)
    assert world.ask("local/wim", "GET", "/v1/me").json()["roles"] == ["keepers"]


def test_meters_of_the_whole_service_are_its_owners(world: PeopleWorld) -> None:
    assert world.client.get("/metrics").status_code == 200
    for who in ("local/ann", "local/dan", "twin/bob"):
        assert world.ask(who, "GET", "/metrics").status_code == 403


def test_a_signed_token_names_no_owner(world: PeopleWorld) -> None:
    principals = dependencies(world.client).host.app.principals
    for name in ("owner", "OWNER", "ｏwner"):
        assert world.run(principals.of_token, "local", name) is None


def test_groups_lie_no_deeper_however_their_names_are_written(world: PeopleWorld) -> None:
    for name in ("Top", "Middle", "Low"):
        world.add_group(name)
    within = {"within": "middle"}
    assert world.ask("local/dan", "PATCH", "/v1/admin/groups/low", json=within).status_code == 200
    for name in ("middle", "MIDDLE", "ｍiddle"):
        path, body = f"/v1/admin/groups/{name}", {"within": "top"}
        assert world.ask("local/dan", "PATCH", path, json=body).status_code == 422


def test_a_file_of_which_nothing_may_be_read_is_not_there(world: PeopleWorld) -> None:
    base(world, "Rows")
    hidden = {"id": "salaries", "title": "S", "content": "Hidden.", "acl": ["user:cara"]}
    assert filled(world, "Rows", hidden) == "finished"
    for path in ("ledger", "ledger?unread=true", "ledger?q=salaries", "ledger?limit=1"):
        told = world.ask("local/bob", "GET", f"/v1/kb/Rows/{path}").json()
        assert (told["files"], told["statuses"], told["found"]) == ([], {}, 0)
        assert told["totals"]["files"] == 0
    narrow = {"question": "Who founded Apollo?", "kb": ["Rows"], "sources": ["nowhere"]}
    refused = world.ask("local/bob", "POST", "/ask", json=narrow)
    assert refused.status_code == 422
    assert "inbox" not in refused.text
    assert "inbox" in world.ask("local/cara", "POST", "/ask", json=narrow).text
