"""One seeded fault, and the lists of them."""

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from tablewright_systems.registry import SYSTEMS

ROOT = Path(__file__).parents[3]
PACKAGE = ROOT / "systems/src/tablewright_systems"


@dataclass(frozen=True, slots=True)
class Mutation:
    """A fault: one text of one file, replaced by another.

    >>> Mutation("any user lists all users", "student_hub/service/administration.py", "x", "y").label
    'any user lists all users'
    """

    label: str
    """What the mutated system does wrong, in a few words."""
    file: str
    """Path of the file below `systems/src/tablewright_systems`."""
    before: str
    """Text that occurs exactly once in the file."""
    after: str
    tests: tuple[str, ...] = ()
    """Tests, or files of tests, that catch the fault if `verify` cannot: `systems/tests/x/test_api.py::test_name`."""

    def apply(self, text: str) -> str:
        """Return the text of the file with the fault; raise ValueError if the fault does not fit the file."""
        if (count := text.count(self.before)) != 1:
            raise ValueError(
                f"mutation {self.label!r}: its text occurs {count} times in {self.file}; "
                "update the mutation so that the text occurs once"
            )
        mutated = text.replace(self.before, self.after)
        compile(mutated, self.file, "exec")
        return mutated


def mutations_of(system: str) -> tuple[Mutation, ...]:
    """Return the mutations of a system."""
    return tuple(import_module(f"systems.tests.mutants.{system}").MUTATIONS)


def all_mutations() -> list[tuple[str, Mutation]]:
    """Return the mutations of all systems, each with the name of its system."""
    return [(system.name, mutation) for system in SYSTEMS for mutation in mutations_of(system.name)]
