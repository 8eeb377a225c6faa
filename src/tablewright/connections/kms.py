"""KMS: the two calls of a keyring, through boto3."""

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
                f"{arn} is not the ARN of a KMS key; pass an ARN such as arn:aws:kms:eu-north-1:123456789012:key/..."
            )
        self._client = boto3.client("kms", region_name=parts[3], endpoint_url=endpoint)

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Call `Encrypt` or `Decrypt`; an error names the key and the code, never the wrapped key."""
        method = {"Encrypt": self._client.encrypt, "Decrypt": self._client.decrypt}[operation]
        try:
            reply: dict[str, Any] = method(**request)
        except ClientError as error:
            code = error.response["Error"].get("Code", "unknown")
            raise KeyringError(f"KMS rejected {operation} with {request['KeyId']}: {code}") from None
        except BotoCoreError as failure:
            raise KeyringError(f"KMS cannot be reached: {type(failure).__name__}") from None
        return reply
