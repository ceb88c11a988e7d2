"""People at the service: what each may do, and how fast it is over."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from flow.http_world import workspace
from flow.people_world import PeopleWorld, base_of, dependencies, peopled
from weft.platform.identity import local_owner


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PeopleWorld]:
    people = {
        "ann": "user @staff",
        "bob": "user",
        "cara": "curator",
        "dan": "admin",
        "eve": "auditor",
        "twin/root": "admin",
    }
    with peopled(workspace(tmp_path_factory.mktemp("people")), people) as made:
        yield made


def test_everybody_is_told_who_they_are(world: PeopleWorld) -> None:
    me = world.ask("local/ann", "GET", "/v1/me").json()
    assert (me["tenant"], me["name"], me["groups"], me["roles"]) == (
        "local",
        "ann",
        ["staff"],
        ["user"],
    )
    assert me["permissions"] == ["ask", "kb.read", "run.read", "tool.run:*"]
    assert world.client.get("/v1/me").json()["roles"] == ["owner"]
    assert world.ask("", "GET", "/v1/me").status_code == 401


def test_another_tenant_has_nothing_of_this_one(world: PeopleWorld) -> None:
    base = base_of(world)
    listed = world.ask("twin/root", "GET", "/v1/kb").json()["items"]
    assert base not in {each["id"] for each in listed}
    theirs = world.ask("twin/root", "GET", f"/v1/kb/{base}").json()
    nobodys = world.ask("twin/root", "GET", "/v1/kb/NoSuchBase").json()
    assert theirs["status"] == nobodys["status"] == 404
    assert world.ask("twin/root", "GET", "/v1/admin/users").json()["items"][0]["name"] == "root"
    assert world.ask("twin/root", "GET", "/v1/admin/tenants").status_code == 403


def test_a_base_of_the_same_name_is_another_one_in_another_tenant(world: PeopleWorld) -> None:
    for who in ("local/cara", "twin/root"):
        assert world.ask(who, "POST", "/v1/kb", json={"name": "Plans"}).status_code == 201
    record = {"records": [{"title": "Twin", "content": "Zanzibar is the code of twin."}]}
    sent = world.ask("twin/root", "POST", "/v1/kb/Plans/documents", json=record)
    assert sent.status_code == 202
    assert world.ask("local/cara", "GET", "/v1/kb/Plans/documents").json()["items"] == []


def test_a_base_is_open_to_whom_it_was_opened(world: PeopleWorld) -> None:
    assert world.ask("local/cara", "POST", "/v1/kb", json={"name": "Secret"}).status_code == 201
    assert world.ask("local/bob", "GET", "/v1/kb/Secret").status_code == 200
    shared = world.ask("local/cara", "PATCH", "/v1/kb/Secret", json={"readers": ["group:staff"]})
    assert shared.json()["readers"] == ["group:staff"]
    assert world.ask("local/ann", "GET", "/v1/kb/Secret").json()["readers"] == []
    hidden = world.ask("local/bob", "GET", "/v1/kb/Secret")
    absent = world.ask("local/bob", "GET", "/v1/kb/Secre2")
    assert hidden.status_code == absent.status_code == 404
    listed = world.ask("local/bob", "GET", "/v1/kb").json()["items"]
    assert "Secret" not in {each["id"] for each in listed}


def test_who_manages_a_tenant_shares_a_base_and_does_not_read_it(world: PeopleWorld) -> None:
    world.ask("local/cara", "POST", "/v1/kb", json={"name": "Vault"})
    note = {"records": [{"title": "A", "content": "The vault opens at nine.", "acl": ["tenant:*"]}]}
    world.ask("local/cara", "POST", "/v1/kb/Vault/documents", json=note)
    world.ask("local/cara", "PATCH", "/v1/kb/Vault", json={"readers": ["user:cara"]})
    assert "Vault" in {one["id"] for one in world.ask("local/dan", "GET", "/v1/kb").json()["items"]}
    assert world.ask("local/dan", "GET", "/v1/kb/Vault/documents").status_code == 403
    asked = world.ask(
        "local/dan", "POST", "/v1/search", json={"query": "When does the vault open?"}
    )
    assert asked.status_code == 200
    assert "vault" not in asked.text.lower().replace("when does the vault open", "")
    opened = world.ask("local/dan", "PATCH", "/v1/kb/Vault", json={"readers": ["user:dan"]})
    assert opened.status_code == 200
    assert world.ask("local/dan", "GET", "/v1/kb/Vault/documents").status_code == 200


def test_reading_is_not_filling(world: PeopleWorld) -> None:
    world.ask("local/cara", "POST", "/v1/kb", json={"name": "Readable"})
    record = {"records": [{"title": "A", "content": "Some text of a record."}]}
    of_ann = world.ask("local/ann", "POST", "/v1/kb/Readable/documents", json=record)
    assert of_ann.status_code == 403
    of_dan = world.ask("local/dan", "POST", "/v1/kb/Readable/documents", json=record)
    assert of_dan.status_code == 403
    opened = world.ask("local/dan", "PATCH", "/v1/kb/Readable", json={"writers": ["user:dan"]})
    assert opened.status_code == 200
    of_dan = world.ask("local/dan", "POST", "/v1/kb/Readable/documents", json=record)
    assert of_dan.status_code == 202


def test_the_files_of_the_machine_are_its_owners(world: PeopleWorld, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\nText.\n")
    source = {"source": {"path": str(tmp_path)}}
    world.ask("local/dan", "POST", "/v1/kb", json={"name": "Local"})
    refused = world.ask("local/dan", "POST", "/v1/kb/Local/documents", json=source)
    assert refused.status_code == 403


def test_nobody_grants_what_they_may_not_do(world: PeopleWorld) -> None:
    role = {"name": "managers", "permissions": ["admin.users"]}
    assert world.ask("local/dan", "POST", "/v1/admin/roles", json=role).status_code == 201
    boss = {"name": "hal", "roles": ["managers", "user"]}
    assert world.ask("local/dan", "POST", "/v1/admin/users", json=boss).status_code == 201
    world.add_key("hal")
    climb = {"roles": ["admin"]}
    assert world.ask("local/hal", "PATCH", "/v1/admin/users/hal", json=climb).status_code == 403
    taken = {"password": "a long password"}
    assert world.ask("local/hal", "PATCH", "/v1/admin/users/dan", json=taken).status_code == 403
    seen = world.ask(
        "local/dan",
        "POST",
        "/v1/admin/roles",
        json={"name": "spies", "permissions": ["run.read.all"]},
    )
    assert seen.status_code == 403
    owners = {"name": "owners", "permissions": ["platform.tenants"]}
    assert world.client.post("/v1/admin/roles", json=owners).status_code == 422


def test_what_is_taken_away_is_gone_with_the_next_request(world: PeopleWorld) -> None:
    world.add("fay")
    assert world.ask("local/fay", "GET", "/v1/me").status_code == 200
    shut = world.client.patch("/v1/admin/users/fay", json={"disabled": True})
    assert shut.json()["disabled"] is True
    assert world.ask("local/fay", "GET", "/v1/me").status_code == 401
    world.client.patch("/v1/admin/users/fay", json={"disabled": False, "roles": ["auditor"]})
    assert world.ask("local/fay", "GET", "/v1/kb").status_code == 403
    key_id = world.add_key("fay", called="second")
    assert world.ask("second", "GET", "/v1/me").status_code == 200
    assert world.client.delete(f"/v1/admin/keys/{key_id}").status_code == 204
    assert world.ask("second", "GET", "/v1/me").status_code == 401
    assert world.client.delete("/v1/admin/users/fay").status_code == 204
    assert world.client.post("/v1/admin/users", json={"name": "Fay"}).status_code == 409


def test_a_key_opens_no_more_than_its_scopes(world: PeopleWorld) -> None:
    world.add_key("dan", scopes=("kb.read",), called="narrow")
    assert world.ask("narrow", "GET", "/v1/kb").status_code == 200
    assert world.ask("narrow", "GET", "/v1/admin/users").status_code == 403
    assert world.ask("narrow", "GET", "/v1/me").json()["permissions"] == ["kb.read"]


def test_a_person_signs_in_and_out(world: PeopleWorld) -> None:
    world.client.post(
        "/v1/admin/users", json={"name": "gil", "password": "correct horse", "roles": ["user"]}
    )
    page = {"Sec-Fetch-Site": "same-origin"}
    kept = world.client.headers.pop("Authorization")
    try:
        browser: TestClient = world.client
        wrong = {"name": "gil", "password": "incorrect horse"}
        assert browser.post("/v1/sign-in", json=wrong, headers=page).status_code == 401
        nobody = {"name": "nobody", "password": "incorrect horse"}
        told = browser.post("/v1/sign-in", json=nobody, headers=page).json()
        assert told["detail"] == "The name or the password is not right."
        right = {"name": "gil", "password": "correct horse"}
        elsewhere = {"Sec-Fetch-Site": "cross-site"}
        assert browser.post("/v1/sign-in", json=right, headers=elsewhere).status_code == 403
        assert browser.post("/v1/sign-in", json=right, headers=page).status_code == 204
        assert browser.get("/v1/me").json()["name"] == "gil"
        assert browser.post("/v1/sign-out", headers=page).status_code == 204
        assert browser.get("/v1/me").status_code == 401
    finally:
        browser.cookies.clear()
        world.client.headers["Authorization"] = kept


def test_who_guesses_passwords_has_to_wait(world: PeopleWorld) -> None:
    page = {"Sec-Fetch-Site": "same-origin"}
    guess = {"name": "nobody at all", "password": "guess"}
    statuses = [world.client.post("/v1/sign-in", json=guess, headers=page) for _ in range(11)]
    assert [each.status_code for each in statuses] == [401] * 10 + [429]
    assert 1 <= int(statuses[-1].headers["Retry-After"]) <= 60


def test_changes_of_people_are_rows_of_the_log(world: PeopleWorld) -> None:
    world.add("ida")
    audit = dependencies(world.client).host.app.records.audit
    rows = world.run(audit.rows, local_owner(), limit=100_000)
    told = {(row.entry.deed.action, row.entry.deed.target, str(row.entry.decision)) for row in rows}
    assert ("admin.user.add", "user:ida", "ok") in told
