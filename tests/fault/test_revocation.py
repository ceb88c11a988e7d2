"""A right that is taken away ends what is under way: streams and jobs of a service process."""

from __future__ import annotations

import time
from collections.abc import Iterator
from urllib.parse import quote

import pytest

from fault.revoking import (
    FACT,
    REVOCATIONS,
    ROWS,
    Office,
    Person,
    asked,
    begin_ingestion,
    begin_job,
    narrow_document,
    office,
    wait_until_over,
    watched,
)
from patience import SOON

pytestmark = [pytest.mark.fault, pytest.mark.timeout(120)]
each_revocation = pytest.mark.parametrize("what", REVOCATIONS)
OF_PEOPLE = [name for name in REVOCATIONS if name != "document ACL narrowed"]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    with office(tmp_path_factory.mktemp("revoking") / "home") as made:
        yield made


@each_revocation
def test_an_open_stream_ends(place: Office, what: str, report: list[str]) -> None:
    person = place.hire()
    answer = asked(place, person)
    events = watched(person, answer.run_id)
    began = time.perf_counter()
    REVOCATIONS[what](place, person)
    took = max(answer.wait(), events.wait()) - began
    report.append(f"{what}: the answer's stream and the run's events ended after {took:.2f} s")
    assert took <= SOON
    assert '"error"' in answer.text or "event: error" in answer.text
    assert FACT not in answer.text + events.text
    assert wait_until_over(place, answer.run_id) != "finished"
    refused(person)


@each_revocation
def test_a_run_that_goes_on_as_a_job_ends(place: Office, what: str, report: list[str]) -> None:
    person = place.hire()
    run_id = begin_job(place, person)
    began = time.perf_counter()
    REVOCATIONS[what](place, person)
    status = wait_until_over(place, run_id)
    took = time.perf_counter() - began
    report.append(f"{what}: a run that went on as a job is {status} after {took:.2f} s")
    assert took <= SOON
    assert status != "finished"
    assert FACT not in place.overseer.get(f"/v1/runs/{run_id}/events").text


@pytest.mark.parametrize("what", OF_PEOPLE)
def test_an_ingestion_ends(place: Office, what: str, report: list[str]) -> None:
    person = place.hire()
    run_id = begin_ingestion(place, person)
    events = watched(person, run_id)
    began = time.perf_counter()
    REVOCATIONS[what](place, person)
    took = events.wait() - began
    status = wait_until_over(place, run_id)
    lasted = time.perf_counter() - began
    report.append(f"{what}: an ingestion's events ended after {took:.2f} s, it {lasted:.2f} s")
    assert max(took, lasted) <= SOON
    assert status == "failed"
    documents = place.send("GET", f"/v1/kb/{person.base}/stats")["documents"]
    assert documents < ROWS


def test_an_ingestion_reads_no_document_of_the_base(place: Office) -> None:
    """So the readers of one that is there already have nothing to do with it."""
    person = place.hire()
    run_id = begin_ingestion(place, person, rows=300)
    narrow_document(place, person)
    assert wait_until_over(place, run_id) == "finished"


def refused(person: Person) -> None:
    """Check that the next request is refused, or shows nothing of the document."""
    reply = person.client.get(f"/v1/kb/{person.base}/documents/{quote(person.document)}")
    assert reply.status_code in {401, 403, 404}
