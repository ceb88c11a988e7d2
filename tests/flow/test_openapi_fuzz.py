"""Requests made up from the OpenAPI document: none breaks the service or comes in unasked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.schemas import APIOperation
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    ignored_auth,
    response_schema_conformance,
    status_code_conformance,
)

from flow.http_world import bearer, workspace
from flow.test_http_openai import running

CHECKS = [
    not_a_server_error,
    content_type_conformance,
    ignored_auth,
    response_schema_conformance,
    status_code_conformance,
]
EXAMPLES = 12
Operation = APIOperation[Any, Any, Any, Any]
Service = tuple[dict[str, str], list[Operation]]
pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    home: Path = workspace(tmp_path_factory.mktemp("fuzz"))
    with running(home) as address:
        schema = schemathesis.openapi.from_url(f"{address}/openapi.json")
        operations = []
        for result in schema.get_all_operations():
            assert isinstance(result, Ok)
            operations.append(result.ok())
        yield bearer(home), operations


def test_no_request_breaks_the_service(service: Service) -> None:
    headers, operations = service
    wrong: dict[str, str] = {}
    sent = 0

    def send(operation: Operation) -> None:
        @settings(
            max_examples=EXAMPLES,
            deadline=None,
            derandomize=True,
            database=None,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy())
        def call(case: Any) -> None:
            nonlocal sent
            sent += 1
            case.call_and_validate(checks=CHECKS, headers=headers, timeout=20)

        call()

    for operation in operations:
        try:
            send(operation)
        except BaseExceptionGroup as error:
            wrong[operation.label] = "\n".join(str(each) for each in error.exceptions)
        except AssertionError as error:
            wrong[operation.label] = str(error)
    assert not wrong, "\n\n".join(f"{label}: {said}" for label, said in wrong.items())
    assert sent >= len(operations)
    print(f"{len(operations)} operations, {sent} requests")
