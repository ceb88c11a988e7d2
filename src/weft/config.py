"""The settings: the only module that reads the environment."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import Field, field, fields, replace
from decimal import Decimal
from pathlib import Path
from typing import Any, get_type_hints

from weft.domain.errors import ConfigurationError
from weft.domain.frozen import dataclass
from weft.platform.workspace import settings_in, workspace_at

FILE = "weft.yaml"
# What a setting is that is one of some words.
CHOICE = re.compile(r"\^\(([a-z|]+)\)\??\$")


def _with(default: object, **said: object) -> Any:
    """Return a field: its default, what is said of it, and its limits as pydantic names them."""
    return field(default=default, metadata=said)


@dataclass(frozen=True, slots=True, kw_only=True)
class Values:
    """Every setting as it may stand in `weft.yaml`, with its default."""

    model: str = _with(
        "offline",
        description="Who writes answers: offline, openai:NAME, azure:NAME or ollama:NAME.",
    )
    embedder: str = _with(
        "local",
        description="Who makes vectors: local (MiniLM), none, openai:NAME or ollama:NAME.",
    )
    embedding_dimension: int | None = _with(
        None, ge=1, description="What the embedder must give; another value is an error."
    )
    openai_api_key: str = _with("", description="Key of the OpenAI-compatible endpoint.")
    openai_base_url: str = _with("", description="Address of the OpenAI-compatible endpoint.")
    azure_openai_endpoint: str = _with("", description="Address of the Azure endpoint.")
    azure_openai_api_key: str = _with("", description="Key of the Azure endpoint.")
    azure_openai_api_version: str = _with("", description="API version of the Azure endpoint.")
    ollama_base_url: str = _with(
        "http://127.0.0.1:11434/v1", description="Address of the Ollama server."
    )
    ontology: str = _with(
        "baseline",
        pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,63}$",
        description="By which ontology new knowledge bases are read: baseline, finance, software,"
        " tracing, or a file of the workspace's ontologies/ (NAME for NAME.yaml).",
    )
    engine: str = _with(
        "simple",
        pattern="^(simple|langgraph)$",
        description="What schedules the steps of flows: simple, or langgraph (an extra).",
    )
    database_url: str = _with(
        "", description="Where records are kept; a SQLite file in the workspace by default."
    )
    neo4j_uri: str = _with(
        "", description="Address of the Neo4j server that `--store neo4j` means."
    )
    neo4j_user: str = _with("neo4j", description="Who opens Neo4j where a target names nobody.")
    neo4j_password: str = _with(
        "", description="Password where a target names no reference to one."
    )
    jwt_issuer: str = _with(
        "",
        description="Who signs the tokens that programs may send as bearers (`iss`); nobody by"
        " default. With it go an audience and keys.",
    )
    jwt_audience: str = _with("", description="Whom such a token must be meant for (`aud`).")
    jwt_jwks: str = _with(
        "", description="The issuer's public keys (JWKS): path of a file, or an https URL."
    )
    jwt_tenant: str = _with(
        "local", min_length=1, description="Tenant of those tokens where no claim names it."
    )
    jwt_tenant_claim: str = _with(
        "", description="Claim that names a token's tenant; then a token without it is refused."
    )
    jwt_groups_claim: str = _with(
        "groups", description="Claim that lists the groups a token vouches for; empty: none does."
    )
    fetch_allow: str = _with(
        "",
        description="What may be fetched beside public hosts at ports 80 and 443: HOST, HOST:PORT"
        " or networks such as 10.2.0.0/16, parted by commas, for the tenant `local`; with `TENANT=`"
        " in front for another, with `*=` for all.",
    )
    fetch_ca_file: str = _with(
        "", description="File of certificates (PEM) to trust beside the system's when fetching."
    )
    fetch_max_mb: int = _with(20, ge=1, le=1024, description="The largest reply that is fetched.")
    fetch_seconds: float = _with(
        30.0, gt=0, le=3600, description="Seconds that fetching may take, redirects included."
    )
    web_search: str = _with(
        "",
        description="A web search that answers in JSON: an address with {query} in it.",
    )
    web_search_header: str = _with(
        "", description="A header for it that holds a key, as NAME: VALUE."
    )
    history: str = _with(
        "stored",
        pattern="^(memory|stored)$",
        description="Where messages, run events and tapes are kept: stored (in the records) or"
        " memory (gone when the process ends).",
    )
    history_limit: int = _with(
        50, ge=2, le=10_000, description="How many messages of a conversation are kept."
    )
    history_hours: float = _with(
        24.0, gt=0, le=8760, description="How many hours memory keeps messages and runs."
    )
    model_timeout: float = _with(
        30.0, gt=0, le=3600, description="Seconds that a model may take for one reply."
    )
    model_connect_timeout: float = _with(
        5.0, gt=0, le=600, description="Seconds that connecting to a model may take."
    )
    model_deadline: float = _with(
        60.0, gt=0, le=86_400, description="Seconds for all replies that one answer takes."
    )
    agent_deadline: float = _with(
        90.0, gt=0, le=86_400, description="Seconds that one agent of a debate may take."
    )
    model_retries: int = _with(
        3, ge=0, le=20, description="How often a model's failed reply is asked for again."
    )
    model_price: str = _with(
        "",
        pattern=r"^((^|,\s*)([^\s,@=]+(@\d{4}-\d\d-\d\d)?\s*=\s*)?\d+(\.\d+)?/\d+(\.\d+)?\s*)*$",
        description="Dollars per million tokens in and out, as 0.15/0.60, or of some models, from a"
        " day on: gpt-5*=1.25/10, gpt-5*@2026-12-01=1/8; else the built-in table, which is dated"
        " too.",
    )
    unsupported: str = _with(
        "drop",
        pattern="^(drop|mark)$",
        description="What becomes of a sentence that its source bears out only in part: drop, or"
        " mark (it stays, named as such and with what is missing). What no source bears out goes"
        " in either case.",
    )
    top_k: int = _with(
        8, ge=1, le=20, description="How many passages a search gives where nobody says how many."
    )
    neo4j_top_k: int | None = _with(
        None,
        ge=1,
        le=20,
        description="The same for knowledge bases on Neo4j; by default as many as anywhere.",
    )
    run_tokens: int | None = _with(
        None, ge=0, description="The most tokens of a run, whatever its caller asks for or gets."
    )
    run_money: Decimal | None = _with(
        None, ge=0, description="The most dollars of a run, where the model's price is known."
    )
    run_seconds: float | None = _with(None, gt=0, description="The most seconds of a run.")
    run_iterations: int | None = _with(
        None, ge=0, description="The most turns that a run's loops may take, the first ones too."
    )
    run_tool_calls: int | None = _with(None, ge=0, description="The most tool calls of a run.")
    quota_tokens: int | None = _with(
        None, ge=0, description="The most tokens of a person's model calls a day (of UTC)."
    )
    quota_money: Decimal | None = _with(
        None, ge=0, description="The most dollars of a person's model calls a day."
    )
    quota_tenant_tokens: int | None = _with(
        None, ge=0, description="The most tokens of all model calls of a tenant a day."
    )
    quota_tenant_money: Decimal | None = _with(
        None, ge=0, description="The most dollars of all model calls of a tenant a day."
    )
    answers: str = _with(
        "answering",
        pattern="^(answering|cautious)$",
        description="When the rules answer without a model: answering (as soon as it is likely"
        " enough to be of use), or cautious (only where it is nearly sure; all else is shown as"
        " the nearest that was found).",
    )
    neo4j_index: str = _with(
        "chunk_embeddings",
        pattern=r"^[A-Za-z][A-Za-z0-9_]{0,62}$",
        description="Name of the vector index that `weft kb browse` makes for other tools.",
    )
    chunk_tokens: int = _with(
        256, ge=32, le=4096, description="The most tokens of a chunk, title included."
    )
    chunk_overlap: int = _with(
        32, ge=0, le=512, description="Tokens that two chunks share where size cut a paragraph."
    )
    max_file_mb: int = _with(64, ge=1, le=4096, description="The largest file that is read.")
    originals: str = _with(
        "served",
        pattern="^(served|all|none)$",
        description="Of which files a copy is kept, to be opened as they were when they were read:"
        " served (those handed over, and what a service reads), all, or none (an unchanged file is"
        " opened in its place).",
    )
    gitignore: bool = _with(
        False,
        description="True means that what a folder's .gitignore leaves out is not read either, as"
        " with .weftignore.",
    )
    ocr: bool = _with(
        False,
        description="True means that pictures of pages (PDFs without text, PNG, JPEG, TIFF) are"
        " read by tesseract and poppler's pdftoppm, where they are installed.",
    )
    ocr_languages: str = _with(
        "eng+kor",
        pattern=r"^[A-Za-z_]{3,20}(\+[A-Za-z_]{3,20}){0,7}$",
        description="The languages of pictures, as tesseract names them.",
    )
    ocr_pages: int = _with(
        100, ge=1, le=10_000, description="How many pages of a file are read by text recognition."
    )
    max_columns: int = _with(
        1_000, ge=1, le=100_000, description="How many columns of a record are read."
    )
    max_mentions: int = _with(
        100_000, ge=1, description="How many mentions of names are kept of one document."
    )
    max_claims: int = _with(100_000, ge=1, description="How many claims are kept of one document.")
    document_seconds: float = _with(
        120.0,
        gt=0,
        le=86_400,
        description="Seconds that splitting, embedding, extracting and storing a document may take,"
        " for every 100,000 characters begun.",
    )
    ingest_jobs: int = _with(
        2,
        ge=1,
        le=16,
        description="How many knowledge bases the service reads files into at the same time.",
    )
    otel_exporter_otlp_endpoint: str = _with("", description="OTLP: /v1/traces is added to it.")
    otel_exporter_otlp_traces_endpoint: str = _with("", description="The same, whole.")
    otel_exporter_otlp_headers: str = _with(
        "", description="Headers for it, as NAME=VALUE parted by commas."
    )
    otel_service_name: str = _with("weft", description="What the service is called in traces.")
    otel_resource_attributes: str = _with(
        "", description="What else traces say of it, as NAME=VALUE parted by commas."
    )
    otel_sdk_disabled: bool = _with(False, description="True means that no traces are sent.")
    opik_enabled: bool = _with(True, description="False means that nothing goes to Opik.")
    opik_url: str = _with("", description="Address of Opik's API, where traces go to it.")
    opik_api_key: str = _with("", description="Key for it, where it needs one.")
    opik_workspace: str = _with("", description="Workspace in it.")
    opik_project_name: str = _with("", description="Project in it.")
    use_graph_execution: bool = _with(True, description="False: research as a chain of agents.")
    trace_content: bool = _with(
        False,
        description="True means that traces hold the questions, cut short, as lists do.",
    )
    log: str = _with(
        "auto",
        pattern="^(auto|json|text|none)$",
        description="Log lines on standard error: json, text, none, or auto (of the service and"
        " the worker, as JSON where it is no terminal).",
    )
    log_tool_preview_max: int = _with(
        0, ge=0, le=10_000, description="Characters of a tool's arguments in a log line; 0: none."
    )
    rate_tenant: int = _with(
        12000, ge=0, description="Requests a minute of all users of a tenant; 0: no limit."
    )
    rate_user: int = _with(1200, ge=0, description="Requests a minute of a user; 0: no limit.")
    rate_key: int = _with(1200, ge=0, description="Requests a minute with one key; 0: no limit.")
    mock_data: bool = _with(False, description="True means the offline model.")


SETTINGS: Mapping[str, Field[Any]] = {one.name: one for one in fields(Values)}
# Variables that other programs know too; every other setting is called as its variable, WEFT_….
_SHARED = frozenset(
    """embedding_dimension openai_api_key openai_base_url azure_openai_endpoint azure_openai_api_key
    azure_openai_api_version ollama_base_url neo4j_uri neo4j_user neo4j_password neo4j_index
    neo4j_top_k use_graph_execution log_tool_preview_max otel_exporter_otlp_endpoint
    otel_exporter_otlp_traces_endpoint otel_exporter_otlp_headers otel_service_name
    otel_resource_attributes otel_sdk_disabled opik_enabled opik_url opik_api_key
    opik_workspace opik_project_name""".split()
)
_IN_THE_FILE_ALONE = ("mock_data",)
ENVIRONMENT: Mapping[str, str] = {
    name.upper() if name in _SHARED else f"WEFT_{name.upper()}": name
    for name in SETTINGS
    if name not in _IN_THE_FILE_ALONE
}
SECRETS = frozenset(
    {
        "openai_api_key",
        "azure_openai_api_key",
        "neo4j_password",
        "web_search_header",
        "otel_exporter_otlp_headers",
        "opik_api_key",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings of one process; `home` is the workspace, from `WEFT_HOME` or `~/.weft`.

    `origin` tells for each value whether it is the default, the file's or the environment's.
    """

    home: Path
    values: Values
    origin: Mapping[str, str]


def load_settings(home: Path | None = None) -> Settings:
    """Return the settings: the environment wins over the workspace's `weft.yaml`.

    Raises `ConfigurationError` naming the setting whose value cannot be used.
    """
    chosen = workspace_at(home or Path(os.environ.get("WEFT_HOME") or "~/.weft"))
    from_file = settings_in(chosen / FILE)
    given = {field: os.environ[name] for name, field in ENVIRONMENT.items() if os.environ.get(name)}
    values = checked({**from_file, **given})
    if values.mock_data:
        values = replace(values, model="offline")
    origin = dict.fromkeys(SETTINGS, "default")
    origin |= dict.fromkeys(from_file, FILE) | dict.fromkeys(given, "environment")
    return Settings(home=chosen, values=values, origin=origin)


def checked(given: Mapping[str, object]) -> Values:
    """Return what is given, checked, and the defaults beside it.

    Raises `ConfigurationError` naming the first setting whose value cannot be used.
    """
    if not given:
        return Values()
    # Here, because it takes longer to load than all else here, and defaults need no check.
    from pydantic import ConfigDict, ValidationError, create_model
    from pydantic import Field as Checked

    kinds = get_type_hints(Values)
    known: dict[str, Any] = {
        name: (kinds[name], Checked(one.default, **one.metadata))
        for name, one in SETTINGS.items()
        if name in given
    }
    model = create_model("Values", __config__=ConfigDict(extra="forbid"), **known)
    try:
        return Values(**dict(model.model_validate(given)))
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        pattern = str(first.get("ctx", {}).get("pattern", ""))
        said = _wrong(name, first["msg"], pattern=pattern, given=first["input"])
        raise ConfigurationError(said, setting=name) from error


def _wrong(name: str, message: str, *, pattern: str, given: object) -> str:
    """Return in words what is wrong with a setting: of a choice, what there is to choose."""
    variable = next((key for key, field in ENVIRONMENT.items() if field == name), "")
    called = f"'{name}' ({variable})" if variable else f"'{name}'"
    choice = CHOICE.fullmatch(pattern)
    if choice is None:
        return f"The setting {called}: {message}"
    ways = " or ".join(choice[1].split("|"))
    return f"The setting {called} is {ways}, not {str(given)[:40]!r}."


def read_secret(reference: str) -> str:
    """Return what a reference names: `env:NAME` a variable, `file:PATH` a file's first line.

    Raises `ConfigurationError` naming the reference where nothing is there.
    """
    kind, _, name = reference.partition(":")
    if kind == "env":
        found = os.environ.get(name, "")
    elif kind == "file":
        found = _first_line(Path(name).expanduser())
    else:
        raise ConfigurationError(f"'{reference}' is no reference: write env:NAME or file:PATH.")
    if not found:
        raise ConfigurationError(f"There is no secret at '{reference}'.", setting=reference)
    return found


def _first_line(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").partition("\n")[0].strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"'{path}' cannot be read: {error}") from error
