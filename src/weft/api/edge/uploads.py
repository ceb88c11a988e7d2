"""What is handed over in the body of a request: records, files, or a place on this machine."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Annotated, Any, BinaryIO

from fastapi import HTTPException, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError
from starlette.datastructures import UploadFile

from weft.domain.errors import BadInput
from weft.domain.frozen import dataclass
from weft.domain.ids import digest
from weft.domain.scope import Scope
from weft.ingest.inbox_documents import HandedFile
from weft.ingest.sources.content_hashes import content_hash
from weft.ingest.sources.inbox import HandedRecord
from weft.ingest.sources.labels import Label
from weft.platform.identity import readers
from weft.platform.workspace import keeping

MULTIPART = "multipart/form-data"
MAX_FILES = 1000
MAX_BODY = 256 * 1024 * 1024
_MAX_CONTENT = 2 * 1024 * 1024
_UPLOADS = "uploads"
_HANDED_OVER = "What is handed over"
# Some clients write a list so.
_ACL_FIELDS = frozenset({"acl", "acl[]"})
# No request takes so long.
_OLD_SECONDS = 3600

Key = Annotated[str, StringConstraints(min_length=1, max_length=100, pattern=r"^[^\x00-\x1f]+$")]
Whole = Annotated[int, Field(ge=-(2**53), le=2**53)]
Plain = Annotated[str, StringConstraints(max_length=2000)]
# JSON has no other numbers: what is kept of one would be a text.
Finite = Annotated[float, Field(allow_inf_nan=False)]
Metadata = Annotated[dict[Key, bool | Whole | Finite | Plain | None], Field(max_length=64)]
Acl = Annotated[
    list[Annotated[str, StringConstraints(max_length=200, pattern=r"^(user|group|tenant):\S+$")]],
    Field(max_length=64, description="Who may read it: `user:NAME`, `group:NAME`, `tenant:*`."),
]
# An empty list would name nobody; who leaves it out says nothing of readers.
Readers = Annotated[Acl, Field(min_length=1)]


class RecordBody(BaseModel):
    """A record; one of the same id is replaced."""

    model_config = ConfigDict(extra="forbid")

    id: str | None = Field(default=None, min_length=1, max_length=200, pattern=r"^[^\x00-\x1f]+$")
    content: str = Field(min_length=1, max_length=_MAX_CONTENT)
    title: str = Field(default="", max_length=300)
    uri: str = Field(default="", max_length=2000)
    metadata: Metadata = Field(default_factory=dict)
    acl: Readers = Field(default_factory=list)


class SourceBody(BaseModel):
    """A file or folder of the machine that the service runs on."""

    model_config = ConfigDict(extra="forbid")

    path: str = Field(min_length=1, max_length=4000, pattern=r"^[^\x00]+$")
    prune: bool = False
    acl: Readers = Field(default_factory=list)


class HandOverBody(BaseModel):
    """Records to be taken in (1 to 100), or a source; one of the two."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {
                "records": [
                    {
                        "id": "apollo",
                        "title": "Apollo",
                        "content": "Apollo was founded by Li Wei in Seoul.",
                        "uri": "https://example.org/apollo",
                        "metadata": {"team": "north"},
                        "acl": ["tenant:*"],
                    }
                ]
            }
        },
    )

    records: list[RecordBody] | None = Field(default=None, min_length=1, max_length=100)
    source: SourceBody | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HandedOver:
    """What a request hands over; `asked` are its words, to know the same request again."""

    files: tuple[HandedFile, ...] = ()
    records: tuple[HandedRecord, ...] = ()
    source: SourceBody | None = None
    asked: str = ""


@asynccontextmanager
async def handed_over(
    request: Request, scope: Scope, *, home: Path, max_file: int
) -> AsyncIterator[HandedOver]:
    """Give what a request hands over; what of it was not taken in is removed at the end.

    Raises `RequestValidationError` naming the field, `BadInput`, `HTTPException` 413 for a file of
    more than `max_file` bytes, and `StoreUnwritable` where the disk takes no more.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != MULTIPART:
        yield _from_json(await request.body(), scope)
        return
    async with upload_drafts(home) as drafts:
        with keeping(_HANDED_OVER):
            handed = await _from_form(request, scope, drafts, max_file=max_file)
        yield handed


@asynccontextmanager
async def upload_drafts(home: Path) -> AsyncIterator[Path]:
    """Give a new folder for what a request hands over; what is left there goes at the end."""
    folder = home / _UPLOADS
    with keeping(_HANDED_OVER):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        drafts = await asyncio.to_thread(tempfile.mkdtemp, dir=folder)
    try:
        yield Path(drafts)
    finally:
        await asyncio.to_thread(shutil.rmtree, drafts, ignore_errors=True)


def remove_old_uploads(home: Path) -> None:
    """Remove what requests left that were killed in the middle; those of others may still run."""
    folder = home / _UPLOADS
    for drafts in folder.iterdir() if folder.is_dir() else ():
        with suppress(FileNotFoundError):
            if time.time() - drafts.stat().st_mtime > _OLD_SECONDS:
                shutil.rmtree(drafts, ignore_errors=True)


def _from_json(body: bytes, scope: Scope) -> HandedOver:
    try:
        found = HandOverBody.model_validate_json(body or b"null")
    except ValidationError as error:
        raise _named(error) from error
    if (found.records is None) == (found.source is None):
        raise BadInput("body: give either records or a source.")
    records = tuple(_record(record, scope) for record in found.records or ())
    return HandedOver(records=records, source=found.source, asked=found.model_dump_json())


def _record(body: RecordBody, scope: Scope) -> HandedRecord:
    return HandedRecord(
        id=body.id or digest(body.title, body.content)[:16],
        content=body.content,
        title=body.title,
        uri=body.uri,
        metadata=body.metadata,
        acl=readers(body.acl, scope),
    )


class _Fields(BaseModel):
    """What is said of all files of a form."""

    title: str = Field(default="", max_length=300)
    uri: str = Field(default="", max_length=2000)
    metadata: Metadata = Field(default_factory=dict)
    acl: Readers = Field(default_factory=list)


async def _from_form(request: Request, scope: Scope, drafts: Path, *, max_file: int) -> HandedOver:
    async with request.form(max_files=MAX_FILES, max_fields=200) as form:
        uploads = [each for _, each in form.multi_items() if isinstance(each, UploadFile)]
        if not uploads:
            raise BadInput("files: the form has no file in it.")
        fields = _fields(form.multi_items())
        label = Label(
            title=fields.title,
            uri=fields.uri,
            metadata=fields.metadata,
            acl=readers(fields.acl, scope),
        )
        files, said = [], [fields.model_dump_json()]
        for number, upload in enumerate(uploads):
            if (upload.size or 0) > max_file:
                name = upload.filename or ""
                raise HTTPException(413, f"'{name[:200]}' has more than {max_file} bytes.")
            draft = drafts / str(number)
            said.append(f"{upload.filename} {await asyncio.to_thread(_kept, upload.file, draft)}")
            files.append(HandedFile(name=upload.filename or "", draft=draft, label=label))
    return HandedOver(files=tuple(files), asked="\n".join(said))


def _fields(items: Iterable[tuple[str, UploadFile | str]]) -> _Fields:
    """Return what is said of all files; raises `RequestValidationError`, `BadInput` naming a field.

    One that nobody knows is refused: a misspelt list of readers would leave the files to everyone.
    """
    given: dict[str, Any] = {}
    for name, value in items:
        if isinstance(value, UploadFile):
            if name in _ACL_FIELDS or name in _Fields.model_fields:
                raise BadInput(f"{name}: it is text, not a file.")
        elif name in _ACL_FIELDS:
            parts = (part.strip() for part in value.split(","))
            given.setdefault("acl", []).extend(part for part in parts if part)
        elif name not in _Fields.model_fields:
            raise BadInput(f"{name[:100]}: there is no such field in a form.")
        else:
            given[name] = _metadata(value) if name == "metadata" else value
    try:
        return _Fields.model_validate(given)
    except ValidationError as error:
        raise _named(error) from error


def _metadata(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput("metadata: it is not JSON.") from error


def _kept(file: BinaryIO, draft: Path) -> str:
    """Write an upload to the disk for good and return its hash."""
    with draft.open("wb") as kept:
        shutil.copyfileobj(file, kept, 1 << 20)
        kept.flush()
        os.fsync(kept.fileno())
    return content_hash(draft)


def _named(error: ValidationError) -> RequestValidationError:
    found = [{**each, "loc": ("body", *each["loc"])} for each in error.errors()]
    return RequestValidationError(found)


def described() -> dict[str, Any]:
    """Return the body of a request that hands over, as an OpenAPI document says it."""
    form = {
        "type": "object",
        "required": ["files"],
        "properties": {
            "files": {
                "type": "array",
                "minItems": 1,
                "items": {"type": "string", "format": "binary"},
                "description": "A file's name may hold its path below the folder it is from.",
            },
            "acl": {
                "type": "array",
                "minItems": 1,
                "items": {"type": "string"},
                "description": "Who may read them; commas part several. `acl[]` is the same.",
            },
            "title": {"type": "string"},
            "uri": {"type": "string"},
            "metadata": {"type": "string", "description": "A JSON object."},
        },
    }
    schema = HandOverBody.model_json_schema(ref_template="#/components/schemas/{model}")
    definitions = schema.pop("$defs", {})
    schema = _inlined(schema, definitions)
    return {
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": schema}, MULTIPART: {"schema": form}},
        }
    }


def _inlined(schema: Any, definitions: Mapping[str, Any]) -> Any:
    if isinstance(schema, list):
        return [_inlined(each, definitions) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _inlined(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    return {key: _inlined(value, definitions) for key, value in schema.items()}
