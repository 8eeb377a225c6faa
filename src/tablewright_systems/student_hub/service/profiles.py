"""Profiles: read, merged with what is new, cleaned (534-559).

The document reads a profile, merges, and puts it back, so that of two tabs saving at once one loses. Here only the
fields that were sent are written, in one update: nothing to read, nothing to lose.
"""

from contextlib import suppress
from typing import Any

from pydantic import model_validator

from tablewright import Repository, errors
from tablewright_systems.api_errors import Conflict, NotFound
from tablewright_systems.authentication import Caller
from tablewright_systems.student_hub.design import (
    ProfileDetails,
    ProfileJustWritten,
    ProfileOf,
    UserProfile,
)
from tablewright_systems.student_hub.service import TRIES
from tablewright_systems.student_hub.service.inputs import Input

_OURS = frozenset({"userId", "user_id", "updatedAt", "updated_at"})


class ProfileChanges(Input, ProfileDetails):
    """What a student changes of a profile; what is not sent stays, what is null or empty goes."""

    @model_validator(mode="before")
    @classmethod
    def _without_ours(cls, data: Any) -> Any:
        """Clients send back what they have read; who they are is told by their token, and when it was by the clock."""
        if not isinstance(data, dict):
            return data
        return {name: value for name, value in data.items() if name not in _OURS}


def read_profile(db: Repository, caller: Caller, *, just_written: bool = False) -> UserProfile:
    """The caller's profile; `just_written` sees every write that was acknowledged, at twice the price."""
    pattern = ProfileJustWritten if just_written else ProfileOf
    profile = db.run(pattern(user_id=caller.user_id))
    if profile is None:
        raise NotFound(f"profile of user {caller.user_id}")
    return profile


def update_profile(db: Repository, caller: Caller, changes: ProfileChanges) -> UserProfile:
    """Merge changes into the caller's profile, which the first change makes."""
    given = changes.given
    for _ in range(TRIES):
        with suppress(errors.DoesNotExist):
            return db.update(ProfileOf(user_id=caller.user_id), set={**given, "updated_at": db.now()})
        with suppress(errors.AlreadyExists):
            return db.create(UserProfile.model_validate({"user_id": caller.user_id, **given}))
    raise Conflict("the profile is made and deleted again and again; try later")
