"""Encryption errors: a secret field cannot be encrypted or decrypted. Messages never contain the content."""

from tablewright.errors.base_error import TablewrightError


class SecretError(TablewrightError):
    """A secret field cannot be encrypted or decrypted; the message names entity and field, never the content."""


class SecretAltered(SecretError):
    """The ciphertext was changed, or moved from another item, field or tenant."""

    def __init__(self, entity: str, field: str) -> None:
        self.entity = entity
        self.field = field
        super().__init__(
            f"{entity}.{field} does not decrypt: it was changed, or moved here from another item, field or tenant"
        )


class SecretShredded(SecretError):
    """The key of the ciphertext was deleted, so the content cannot be read any more."""

    def __init__(self, entity: str, field: str) -> None:
        self.entity = entity
        self.field = field
        super().__init__(f"{entity}.{field} cannot be read: its key was deleted")


class KeyringError(SecretError):
    """The master keys cannot be used; the message says why and what to do."""
