"""One proof for every access pattern and flow of the document, by area."""

from importlib import import_module

from tablewright_systems.verification import Proofs

_AREAS = (
    "users",
    "accounts",
    "memberships",
    "oauth",
    "platform",
    "sources",
    "activities",
    "jobs",
    "tags",
    "notifications",
)

PROOFS = Proofs("listbackup")
for _area in _AREAS:
    PROOFS.include(import_module(f"{__name__}.{_area}").PROOFS)
