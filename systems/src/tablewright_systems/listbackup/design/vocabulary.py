"""Types that several tables share: ids, texts, enums, and parts of items."""

import json
import unicodedata
from enum import Enum
from typing import Annotated, Any
from uuid import uuid4

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.alias_generators import to_camel

from tablewright_systems.service.text import Line, fold_email, require_email

AWS_MANAGED_KEY = "alias/aws/dynamodb"
"""The KMS key of all tables: the one that AWS manages in the account (R38)."""


class Part(BaseModel):
    """A map inside an item; its attribute names are stored as those of entities are."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid")


MAX_DOCUMENT_LENGTH = 16_000


def bounded(document: dict[str, Any]) -> dict[str, Any]:
    """Return the document, or raise ValueError if it is too large: an item holds 400 KB."""
    if len(json.dumps(document, default=str)) > MAX_DOCUMENT_LENGTH:
        raise ValueError(f"has more than {MAX_DOCUMENT_LENGTH} characters as JSON")
    return document


Document = Annotated[dict[str, Any], AfterValidator(bounded)]
"""An object that the document does not describe further."""


def new_uuid() -> Any:
    """Return a new UUID, version 4."""
    return Field(default_factory=lambda: str(uuid4()))


def normalised(text: Any) -> Any:
    """Return text in the form in which it is compared: stripped, case-folded, in one Unicode form."""
    return unicodedata.normalize("NFKC", text).strip().casefold() if isinstance(text, str) else text


def normalised_email(address: Any) -> Any:
    """Return an e-mail address in the form in which it is compared; see `fold_email`."""
    return fold_email(address) if isinstance(address, str) else address


Id = Annotated[str, Field(min_length=1, max_length=128, pattern=r"^[^#/\s]+$")]
"""An id; it is part of keys and paths, so it contains none of their separators."""

Email = Annotated[
    str, BeforeValidator(normalised_email), Field(max_length=254, pattern=r"^[^@\s#]+@[^@\s#]+\.[^@\s#]+$")
]
NewEmail = Annotated[Email, AfterValidator(require_email)]
"""An address that a client sends. Stored addresses of other programs are readable as they are."""
Username = Annotated[str, BeforeValidator(normalised), Field(max_length=64, pattern=r"^[^\s#/@]+$")]
Platform = Annotated[str, Field(max_length=64, pattern=r"^[a-z0-9][a-z0-9_-]*$", examples=["stripe"])]
"""A platform, such as keap or stripe; the document does not list them all."""
DataType = Annotated[
    str, Field(max_length=64, pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$", examples=["contacts"])
]
"""A kind of record, such as contacts."""


Name = Annotated[Line, Field(min_length=1, max_length=200)]
"""A name that people read, as a client sends it: of a user, an account or a team."""
NOT_SHOWN = Field(exclude=True)
"""Annotation of a field that no reply shows."""


class ConnectionType(Enum):
    """How a platform is accessed."""

    OAUTH = "oauth"
    APIKEY = "apikey"
    WEBHOOK = "webhook"


class Priority(Enum):
    """The urgency of a job or a notification."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"

    @property
    def rank(self) -> int:
        """The priority as a number that sorts, the most urgent first."""
        return [Priority.CRITICAL, Priority.HIGH, Priority.MEDIUM, Priority.LOW].index(self)


class ResourceType(Enum):
    """The type of resource of an activity, a tag or a notification."""

    ACCOUNT = "account"
    USER = "user"
    TEAM = "team"
    SOURCE = "source"
    CONNECTION = "connection"
    JOB = "job"
    TAG = "tag"
    SESSION = "session"
    ARCHIVE = "archive"


class Right(Enum):
    """What a permission allows."""

    CREATE = "create"
    READ = "read"
    UPDATE = "update"
    DELETE = "delete"
    EXPORT = "export"
