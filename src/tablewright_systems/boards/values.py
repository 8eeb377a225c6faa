"""What the fields of Boards may hold: names, types of service and their configurations. Numbers are document lines."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated
from unicodedata import normalize

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

MOST_SERVICES = 50
"""Services of one board: whoever leaves loses all permissions in one transaction, which holds 100 items."""

MOST_SERVICES_AT_FIRST = 48
"""Service types that a board starts with: each is two items of the transaction that makes it, beside four others."""

APPROVE_JOIN = "approveJoin"
"""The one service type that the document defines: whether joining needs approval (69-75)."""


def _tidy(text: object) -> object:
    """One form of Unicode, and no blanks that nobody sees."""
    return " ".join(normalize("NFC", text).split()) if isinstance(text, str) else text


def _distinct(types: list[str]) -> list[str]:
    if len(set(types)) < len(types):
        raise ValueError("names a service type twice")
    return types


UserName = Annotated[str, BeforeValidator(_tidy), Field(pattern=r"^[\w.-]+$", min_length=3, max_length=32)]
Email = Annotated[str, BeforeValidator(_tidy), Field(pattern=r"^[^@\s]+@[^@\s]+\.[^@\s]+$", max_length=254)]
BoardName = Annotated[str, BeforeValidator(_tidy), Field(min_length=1, max_length=100)]
ServiceType = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9]*$", max_length=40, examples=[APPROVE_JOIN])]
ServiceTypes = Annotated[list[ServiceType], Field(max_length=MOST_SERVICES), AfterValidator(_distinct)]
Answer = Annotated[str, BeforeValidator(_tidy), Field(min_length=1, max_length=2_000)]
Question = Annotated[str, BeforeValidator(_tidy), Field(min_length=1, max_length=500)]


class Role(StrEnum):
    """What somebody is on a board (49)."""

    MEMBER = "member"
    MANAGER = "manager"
    OWNER = "owner"


class ApproveJoinConfig(BaseModel):
    """How joining is approved (94-98)."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid")

    ttl_days: int = Field(ge=1, le=365)
    ask_question: bool
    question_text: Question | None = None

    @model_validator(mode="after")
    def _has_a_question(self) -> "ApproveJoinConfig":
        if self.ask_question and self.question_text is None:
            raise ValueError("askQuestion needs a questionText")
        return self


class NoConfig(BaseModel):
    """What every other service type has to configure: nothing."""

    model_config = ConfigDict(extra="forbid")


ServiceConfig = ApproveJoinConfig | NoConfig

CONFIGS: Mapping[str, ServiceConfig] = {
    APPROVE_JOIN: ApproveJoinConfig(ttl_days=3, ask_question=True, question_text="Why do you want to join?")
}
"""What a service of a type starts with; its class is what a configuration of that type has to be."""
