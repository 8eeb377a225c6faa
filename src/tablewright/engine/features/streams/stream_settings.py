"""Stream settings: the StreamSpecification of a table, as requested and as described."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from tablewright.engine.core.requests.shapes import Boolean, one_of, structure
from tablewright.engine.core.sessions import Writing
from tablewright.engine.core.tables.table_definitions import is_shared
from tablewright.engine.core.tables.table_rules import INVALID
from tablewright.engine.core.tables.table_updates import TableUpdate
from tablewright.engine.features.streams.stream_records import open_stream_of
from tablewright.errors import ValidationError

STREAM = structure(
    "StreamSpecification",
    StreamEnabled=Boolean(required=True),
    StreamViewType=one_of("NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES", "KEYS_ONLY"),
)


def require_new_stream(request: Mapping[str, Any]) -> None:
    """Reject a CreateTable request with missing or contradictory members of its stream."""
    stream = request.get("StreamSpecification")
    if stream is not None and stream["StreamEnabled"] and stream.get("StreamViewType") is None:
        raise ValidationError(
            f"{INVALID}Table is being created with a stream enabled, UpdateViewType is required"
        )
    if stream is not None and not stream["StreamEnabled"] and stream.get("StreamViewType") is not None:
        raise ValidationError(
            f"{INVALID}Table is being created with a stream disabled, UpdateViewType should not be specified"
        )


def require_stream_change(request: Mapping[str, Any]) -> None:
    """Reject an UpdateTable request with missing or contradictory members of its stream."""
    stream = request.get("StreamSpecification")
    if stream and stream["StreamEnabled"] and stream.get("StreamViewType") is None:
        raise ValidationError(f"{INVALID}If stream is being enabled then UpdateViewType is required")
    if stream and not stream["StreamEnabled"] and stream.get("StreamViewType") is not None:
        raise ValidationError(
            f"{INVALID}If stream is being disabled, then UpdateViewType must not be specified"
        )


def create_stream(tx: Writing, definition: dict[str, Any], request: Mapping[str, Any]) -> None:
    """Open the stream that a CreateTable or UpdateTable request enables, with a number from the catalog."""
    stream = request.get("StreamSpecification")
    if stream and stream["StreamEnabled"]:
        open_stream(definition, tx.state.catalog.next_number(tx.rows), stream["StreamViewType"], tx.now())


def change_stream(update: TableUpdate) -> None:
    """Check the StreamSpecification of an UpdateTable request, and close a stream that it disables."""
    requested = update.request.get("StreamSpecification")
    if requested is None:
        return
    is_open = open_stream_of(update.table.definition) is not None
    if requested["StreamEnabled"] and is_open:
        raise ValidationError(f"Table already has an enabled stream: TableName: {update.table.name}")
    if not requested["StreamEnabled"] and not is_open:
        raise ValidationError(f"Table has no stream to disable: TableName: {update.table.name}")
    if not requested["StreamEnabled"] and is_shared(update.table):
        raise ValidationError(f"{INVALID}Disabling Stream is not allowed for a Global Table replica.")
    update.shown["TableStatus"] = "UPDATING"
    if not requested["StreamEnabled"]:
        close_stream(update.definition, update.now)


def perform_stream_change(update: TableUpdate) -> None:
    """Open a stream that an UpdateTable request enables."""
    create_stream(update.tx, update.definition, update.request)


def open_stream(definition: dict[str, Any], number: int, view_type: str, now: float) -> None:
    """Add a stream to a definition. Labels are times; two streams of a table never share one."""
    now = round(now, 3)
    streams = definition.setdefault("Streams", [])
    taken = {stream["Label"] for stream in streams}
    labelled = now
    while _label(labelled) in taken:
        labelled += 0.001
    label = _label(labelled)
    description = definition["Description"]
    arn = f"{description['TableArn']}/stream/{label}"
    streams.append(
        {"Id": number, "Arn": arn, "Label": label, "ViewType": view_type, "Created": now, "Closed": None}
    )
    description["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": view_type}
    description["LatestStreamLabel"] = label
    description["LatestStreamArn"] = arn


def close_stream(definition: dict[str, Any], now: float) -> None:
    """Close the open stream of a definition; its name stays in the description, as on AWS."""
    definition["Streams"] = [
        {**stream, "Closed": now} if stream["Closed"] is None else stream for stream in definition["Streams"]
    ]
    del definition["Description"]["StreamSpecification"]


def _label(now: float) -> str:
    time = datetime.fromtimestamp(round(now, 3), UTC)
    return time.replace(tzinfo=None).isoformat(timespec="milliseconds")
