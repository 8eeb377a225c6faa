"""The five systems, for the commands that run them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tablewright.errors import UsageError

if TYPE_CHECKING:
    from tablewright_systems.registry import System


def require_systems() -> None:
    """Raise an error that names the extra to install, if a package of the systems is missing."""
    try:
        import fastapi  # noqa: F401
        import jwt  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise UsageError(
            f"package {error.name} is not installed; run: pip install 'tablewright[systems]', "
            "or, in a checkout: pip install '.[systems]'"
        ) from None


def find_systems(names: Sequence[str]) -> "list[System]":
    """Return the systems with these names; without names, all systems."""
    require_systems()
    from tablewright_systems.registry import SYSTEMS

    known = {system.name: system for system in SYSTEMS}
    for name in names:
        if name not in known:
            raise UsageError(f"unknown system {name!r}; the systems are: {', '.join(known)}")
    return [known[name] for name in names] or list(SYSTEMS)
