"""The catalogue: the five systems, and where their parts are. A part is imported when it is asked for."""

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fastapi import FastAPI

    from tablewright import Design, Repository
    from tablewright_systems.authentication import Authenticator
    from tablewright_systems.proofs import Proofs


@dataclass(frozen=True, slots=True)
class System:
    """One of the five."""

    name: str
    """Its package, and its path under the start page."""
    title: str
    summary: str
    environment: str | None = None
    """What its table names are filled with on a developer's machine."""

    @property
    def design(self) -> "Design":
        """Its design."""
        return self._part("design").design  # type: ignore[no-any-return]

    @property
    def proofs(self) -> "Proofs":
        """The proofs of its access patterns and flows."""
        return self._part("proofs").PROOFS  # type: ignore[no-any-return]

    @property
    def demo_user(self) -> str:
        """Who sees a lot of the sample data."""
        return self._part("samples").DEMO_USER  # type: ignore[no-any-return]

    def fill(self, db: "Repository", size: int = 20, seed: int = 1) -> None:
        """Put sample data into its empty tables."""
        self._part("samples").fill(db, size, seed)

    def build(self, db: "Repository", gate: "Authenticator") -> "FastAPI":
        """Its API, on a store."""
        return self._part("api").build(db, gate)  # type: ignore[no-any-return]

    def _part(self, name: str) -> Any:
        return import_module(f"tablewright_systems.{self.name}.{name}")


SYSTEMS = (
    System("boards", "Boards", "Membership by approval, services with permissions."),
    System(
        "listbackup", "ListBackup", "Accounts in a hierarchy, sealed credentials, a job queue.", "listbackup"
    ),
    System("student_hub", "Student Hub", "Profiles, progress, deadlines and their reminders.", "main"),
    System("goalsguild", "GoalsGuild", "Goals, tasks, milestones, chat."),
    System("collabhub", "CollabHub", "Startups, roles, applications, investors, conversations."),
)


def find(name: str) -> System | None:
    """The system of that name.

    >>> find("boards").title
    'Boards'
    """
    return next((system for system in SYSTEMS if system.name == name), None)
