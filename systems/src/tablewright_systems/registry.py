"""Registry of the five systems and their parts. A part is imported on first use."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fastapi import FastAPI

    from tablewright import Design, Repository
    from tablewright_systems.service import Caller, Job
    from tablewright_systems.verification import Proofs
    from tablewright_systems.web.authentication import Authenticator


@dataclass(frozen=True, slots=True)
class System:
    """One of the five systems."""

    name: str
    """Name of its package, and of its path on the host."""
    title: str
    summary: str
    environment: str | None = None
    """Environment on a development machine: the value of the placeholder in its table names."""

    @property
    def design(self) -> "Design":
        """The design of the system."""
        return self._part("design").design  # type: ignore[no-any-return]

    @property
    def proofs(self) -> "Proofs":
        """One proof for each access pattern and flow of its REQUIREMENTS.md."""
        return self._part("proofs").PROOFS  # type: ignore[no-any-return]

    @property
    def jobs(self) -> "Sequence[Job]":
        """Its background jobs; a system without a module `jobs` has none."""
        return self._part("jobs").JOBS if self._has("jobs") else ()

    @property
    def demo_user(self) -> str:
        """ID of a user with access to much of the sample data."""
        return self._part("samples").DEMO_USER  # type: ignore[no-any-return]

    @property
    def people(self) -> "Mapping[str, Caller]":
        """People of the sample data, with their claims, by a description; the first one is the demo user."""
        return self._part("samples").PEOPLE  # type: ignore[no-any-return]

    def fill(self, db: "Repository", size: int = 20, seed: int = 1) -> None:
        """Write sample data into its empty tables."""
        self._part("samples").fill(db, size, seed)

    def build(self, db: "Repository", authenticator: "Authenticator") -> "FastAPI":
        """Build its HTTP API on a store."""
        return self._part("api").build(db, authenticator)  # type: ignore[no-any-return]

    def build_for_development(self, db: "Repository", authenticator: "Authenticator") -> "FastAPI":
        """Build its HTTP API for a development machine; a module `development` adds what production must not have."""
        name = "development" if self._has("development") else "api"
        return self._part(name).build(db, authenticator)  # type: ignore[no-any-return]

    def _has(self, name: str) -> bool:
        return find_spec(f"tablewright_systems.{self.name}.{name}") is not None

    def _part(self, name: str) -> Any:
        return import_module(f"tablewright_systems.{self.name}.{name}")


SYSTEMS = (
    System("boards", "Boards", "Membership by approval, services with permissions.", "development"),
    System(
        "listbackup",
        "ListBackup",
        "Accounts in a hierarchy, encrypted credentials, a job queue.",
        "listbackup",
    ),
    System("student_hub", "Student Hub", "Profiles, progress, deadlines and their reminders.", "main"),
    System("goalsguild", "GoalsGuild", "Goals, tasks, milestones, chat."),
    System("collabhub", "CollabHub", "Startups, roles, applications, investors, conversations."),
)


def find(name: str) -> System | None:
    """Return the system with that name, or None.

    >>> find("boards").title
    'Boards'
    """
    return next((system for system in SYSTEMS if system.name == name), None)
