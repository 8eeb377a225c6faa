"""KMS: the two calls that keyrings make, through boto3."""

from typing import Any

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from tablewright.errors import KeyringError


class KmsConnection:
    """AWS KMS in the region that a key's ARN names."""

    def __init__(self, arn: str, *, endpoint: str | None = None) -> None:
        parts = arn.split(":")
        if len(parts) != 6 or parts[:1] != ["arn"] or parts[2] != "kms":
            raise KeyringError(
                f"{arn} is no KMS key; give its ARN: arn:aws:kms:eu-north-1:123456789012:key/..."
            )
        self._client = boto3.client("kms", region_name=parts[3], endpoint_url=endpoint)

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """`Encrypt` or `Decrypt`; a refusal says which key and why, never what was to be wrapped."""
        method = {"Encrypt": self._client.encrypt, "Decrypt": self._client.decrypt}[operation]
        try:
            reply: dict[str, Any] = method(**request)
        except ClientError as refusal:
            code = refusal.response["Error"].get("Code", "unknown")
            raise KeyringError(
                f"KMS refused to {operation.lower()} with {request['KeyId']}: {code}"
            ) from None
        except BotoCoreError as failure:
            raise KeyringError(f"KMS cannot be reached: {type(failure).__name__}") from None
        return reply
