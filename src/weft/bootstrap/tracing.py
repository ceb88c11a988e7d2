"""Where traces go, as the settings name it; OpenTelemetry comes in only where they go anywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.bootstrap.app import App
from weft.config import Values
from weft.domain.errors import ConfigurationError, NotFound
from weft.flows.catalog import FlowCatalog
from weft.platform.tracing.spans import SpanNames
from weft.ports.records.runs import Runs
from weft.ports.telemetry.tracing import Traces

if TYPE_CHECKING:
    from weft.adapters.otel.tracing import Collector

_TRACES, _OPIK = "/v1/traces", "/v1/private/otel/v1/traces"


def traces_of(app: App, runs: Runs) -> Traces | None:
    """Return what sends the traces of runs; None where the settings name no collector.

    Raises `ConfigurationError` for an address that is none of HTTP.
    """
    if app.traces or not address_of(app.settings.values):
        return next(iter(app.traces), None)
    from weft.adapters.otel.tracing import OtlpTraces

    provider = app.settings.values.model.partition(":")[0]
    traces = OtlpTraces(_collector(app.settings.values), runs, provider=provider, names=_names)
    app.traces.append(traces)
    app.closing.append(traces.close)
    return traces


def address_of(values: Values) -> str:
    """Return the whole address to which traces go; empty where they go nowhere."""
    if values.otel_sdk_disabled:
        return ""
    if values.otel_exporter_otlp_traces_endpoint:
        return values.otel_exporter_otlp_traces_endpoint
    if values.otel_exporter_otlp_endpoint:
        return values.otel_exporter_otlp_endpoint.rstrip("/") + _TRACES
    if values.opik_url and values.opik_enabled:
        return values.opik_url.rstrip("/") + _OPIK
    return ""


def _collector(values: Values) -> Collector:
    from weft.adapters.otel.tracing import Collector

    address = address_of(values)
    if not address.startswith(("http://", "https://")):
        raise ConfigurationError("The address for traces begins with http:// or https://.")
    headers = _pairs(values.otel_exporter_otlp_headers, "otel_exporter_otlp_headers")
    if address.endswith(_OPIK):
        own = {
            "Authorization": values.opik_api_key,
            "Comet-Workspace": values.opik_workspace,
            "projectName": values.opik_project_name,
        }
        headers = {**{name: value for name, value in own.items() if value}, **headers}
    return Collector(
        address=address,
        headers=headers,
        service=values.otel_service_name,
        about=_pairs(values.otel_resource_attributes, "otel_resource_attributes"),
        tells_questions=values.trace_content,
    )


def _pairs(text: str, setting: str) -> dict[str, str]:
    """Return what is written as `NAME=VALUE,…`, or raise `ConfigurationError`."""
    found: dict[str, str] = {}
    for part in filter(None, (one.strip() for one in text.split(","))):
        name, is_given, value = part.partition("=")
        if not is_given or not name.strip():
            raise ConfigurationError(f"The setting '{setting}' is NAME=VALUE, parted by commas.")
        found[name.strip()] = value.strip()
    return found


def _names(flow: str) -> SpanNames:
    try:
        return FlowCatalog().find(flow).spans
    except NotFound:  # one that is here no more, or was not shipped
        return SpanNames()


def answers(values: Values) -> bool:
    """Tell whether the collector of the settings takes a request in; waits a second at most."""
    from weft.adapters.otel import tracing

    return tracing.answers(_collector(values))
