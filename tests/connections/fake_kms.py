"""A stand-in for KMS, which cannot run here. It keeps to its contract: another encryption context is rejected."""

import json
from typing import Any

from tablewright.errors import KeyringError


class FakeKms:
    """The two calls of a keyring."""

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Wrap or unwrap a key."""
        purpose = [request["KeyId"], request["EncryptionContext"]]
        if operation == "Encrypt":
            return {"CiphertextBlob": json.dumps([*purpose, request["Plaintext"].hex()]).encode()}
        *wrapped_for, plain = json.loads(request["CiphertextBlob"])
        if wrapped_for != purpose:
            raise KeyringError("KMS refused")
        return {"Plaintext": bytes.fromhex(plain)}
