"""Types of the values that clients send: names, service types and their configurations. Numbers are document lines."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, Field, model_validator

from tablewright_systems.service import Line
from tablewright_systems.service.schemas import Body

MAX_SERVICES = 50
"""Services of one board: a leaving member loses all permissions in one transaction of at most 100 items."""

MAX_INITIAL_SERVICES = 48
"""Initial services of a board: each takes two of the 100 items of the transaction, beside four others."""

APPROVE_JOIN = "approveJoin"
"""The service type that the document defines: joining needs approval."""


def _distinct(types: list[str]) -> list[str]:
    if len(set(types)) < len(types):
        raise ValueError("contains a service type twice")
    return types


UserName = Annotated[Line, Field(pattern=r"^[\w.-]+$", min_length=3, max_length=32)]
BoardName = Annotated[Line, Field(min_length=1, max_length=100)]
ServiceType = Annotated[Line, Field(pattern="^[^#]+$", max_length=100, examples=[APPROVE_JOIN])]
"""Name of a service type of the catalogue; other programs choose names that `NewServiceType` does not allow."""
NewServiceType = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9]*$", max_length=40)]
"""Name of a service type that is added to the catalogue."""
ServiceTypes = Annotated[list[ServiceType], Field(max_length=MAX_SERVICES), AfterValidator(_distinct)]
Answer = Annotated[Line, Field(min_length=1, max_length=2_000)]
Question = Annotated[Line, Field(min_length=1, max_length=500)]


class Role(StrEnum):
    """Role of a member."""

    MEMBER = "member"
    MANAGER = "manager"
    OWNER = "owner"


class ApproveJoinConfig(Body):
    """Settings of the approval of join requests."""

    ttl_days: int = Field(ge=1, le=365)
    ask_question: bool
    question_text: Question | None = None

    @model_validator(mode="after")
    def _has_a_question(self) -> "ApproveJoinConfig":
        if self.ask_question and self.question_text is None:
            raise ValueError("askQuestion needs a questionText")
        return self


class NoConfig(Body):
    """Every other service type has no settings."""


APPROVAL = ApproveJoinConfig(ttl_days=3, ask_question=True, question_text="Why do you want to join?")

CONFIGS: Mapping[str, ApproveJoinConfig | NoConfig] = {APPROVE_JOIN: APPROVAL}
"""Initial configuration of each service type; its class validates later configurations."""
