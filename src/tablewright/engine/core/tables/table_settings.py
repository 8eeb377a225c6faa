"""Table settings: stream, encryption and class, as requested and as described."""

import uuid
from datetime import UTC, datetime
from typing import Any

from tablewright.engine.core.requests.arns import key_arn, stream_arn
from tablewright.engine.core.tables.table_rules import INVALID, Entry
from tablewright.errors import ValidationError

TABLE_CLASSES = ("STANDARD", "STANDARD_INFREQUENT_ACCESS")

_MANAGED_KEY = "alias/aws/dynamodb"


def require_settings(request: Entry) -> None:
    """Reject a CreateTable with invalid stream, encryption or class."""
    stream = request.get("StreamSpecification")
    if stream is not None and stream["StreamEnabled"] and stream.get("StreamViewType") is None:
        raise ValidationError(
            f"{INVALID}Table is being created with a stream enabled, UpdateViewType is required"
        )
    if stream is not None and not stream["StreamEnabled"] and stream.get("StreamViewType") is not None:
        raise ValidationError(
            f"{INVALID}Table is being created with a stream disabled, UpdateViewType should not be specified"
        )
    require_encryption(request.get("SSESpecification"))
    require_class(request.get("TableClass"))


def require_stream_change(stream: Entry) -> None:
    """Reject a stream specification with missing or contradictory members."""
    if stream["StreamEnabled"] and stream.get("StreamViewType") is None:
        raise ValidationError(f"{INVALID}If stream is being enabled then UpdateViewType is required")
    if not stream["StreamEnabled"] and stream.get("StreamViewType") is not None:
        raise ValidationError(
            f"{INVALID}If stream is being disabled, then UpdateViewType must not be specified"
        )


def require_class(name: str | None) -> None:
    """Reject an unknown table class."""
    if name is not None and name not in TABLE_CLASSES:
        raise ValidationError(
            "Invalid table-class parameter provided. Please try again with a valid table-class value: "
            f"[{', '.join(TABLE_CLASSES)}]."
        )


def require_encryption(requested: Entry | None) -> None:
    """Reject encryption settings that contradict each other."""
    if requested is None:
        return
    for name in ("SSEType", "KMSMasterKeyId"):
        if requested.get("Enabled") is False and requested.get(name) is not None:
            raise ValidationError(f"{INVALID}{name} can not be specified if Enabled is false")
    if requested.get("KMSMasterKeyId") is not None and requested.get("SSEType") is None:
        raise ValidationError(f"{INVALID}SSEType KMS is required if KMSMasterKeyId is specified")
    if requested.get("SSEType") == "AES256":
        raise ValidationError(f"{INVALID}SSEType AES256 is not supported")


def is_encryption_requested(requested: Entry | None) -> bool:
    """Whether a KMS key is requested; otherwise DynamoDB's own key is used."""
    return bool(requested and (requested.get("Enabled") or requested.get("SSEType") == "KMS"))


def describe_encryption(requested: Entry, region: str) -> dict[str, str]:
    """The `SSEDescription` member. A key given by an alias gets an ID derived from the alias."""
    key = requested.get("KMSMasterKeyId") or _MANAGED_KEY
    if "alias/" in key:
        key = str(uuid.uuid5(uuid.NAMESPACE_URL, key))
    arn = key if key.startswith("arn:") else key_arn(region, key)
    return {"Status": "ENABLED", "SSEType": "KMS", "KMSMasterKeyArn": arn}


def open_stream(definition: dict[str, Any], number: int, view_type: str, now: float) -> None:
    """Add a stream to a definition. Labels are times; two streams of a table never share one."""
    streams = definition.setdefault("Streams", [])
    taken = {stream["Label"] for stream in streams}
    labelled = now
    while _label(labelled) in taken:
        labelled += 0.001
    label = _label(labelled)
    description = definition["Description"]
    arn = stream_arn(description["TableArn"], label)
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
