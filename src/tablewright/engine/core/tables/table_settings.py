"""Table settings: encryption and class, as requested and as described."""

import uuid

from tablewright.engine.core.requests.arns import key_arn
from tablewright.engine.core.tables.table_rules import INVALID, Entry
from tablewright.errors import ValidationError

TABLE_CLASSES = ("STANDARD", "STANDARD_INFREQUENT_ACCESS")

_MANAGED_KEY = "alias/aws/dynamodb"


def require_settings(request: Entry) -> None:
    """Reject a CreateTable or UpdateTable request with invalid encryption or class."""
    require_encryption(request.get("SSESpecification"))
    require_class(request.get("TableClass"))


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
