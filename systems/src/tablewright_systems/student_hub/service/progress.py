"""Progress: steps are started, completed and reopened.

A step keeps the time of its first completion when the request is repeated, and keeps its start time when it is
completed (the document's put loses it: 336-345).
"""

import re
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from typing import Annotated, Any

from fastapi import Query

from tablewright import Repository, errors, fields, reads, writes
from tablewright_systems.service import Caller, NotFound, sorted_page
from tablewright_systems.student_hub.design import Progress, ProgressOf, StepKey, StepOf, StepsOf
from tablewright_systems.web import CurrentCaller, Db, PageRequest, Router, problems

router = Router("Progress", "Your steps.")

Steps = Annotated[list[StepKey] | None, Query(alias="step", max_length=100)]

NaturalOrder = tuple[tuple[bool, float, str], ...]

_NUMBER = re.compile(r"(\d+(?:\.\d+)?)")

_COMPLETED = Progress.completed == True  # noqa: E712 - a condition
_NOT_COMPLETED = Progress.completed == False  # noqa: E712
_NOT_STARTED = fields.of(Progress.started).is_absent()


def read_progress(db: Repository, caller: Caller) -> list[Progress]:
    """Return all steps of the caller in natural order."""
    return in_natural_order(db.all(ProgressOf(user_id=caller.user_id), unknown="skip"))


def in_natural_order(steps: Iterable[Progress]) -> list[Progress]:
    """Sort steps by key, with numbers compared as numbers."""
    return sorted(steps, key=step_order)


def step_order(step: Progress) -> NaturalOrder:
    """Return the sort key of a step."""
    return natural_order(step.step_key)


@router.get("/progress/{step_key}", response_model_exclude_none=True)
def read_step(db: Db, caller: CurrentCaller, step_key: StepKey) -> Progress:
    """Get one of your steps."""
    pattern = StepOf(user_id=caller.user_id, step_key=step_key)
    return db.get_or_raise(pattern, otherwise=NotFound(f"progress in {step_key}"))


def read_steps(db: Repository, caller: Caller, step_keys: list[str]) -> list[Progress]:
    """Return some steps of the caller, without those that were never started."""
    requested = list(dict.fromkeys(step_keys))
    return db.all(StepsOf(user_id=caller.user_id, step_key=requested), unknown="skip")


@router.post("/progress/{step_key}/start", response_model_exclude_none=True, responses=problems(404))
def start_step(db: Db, caller: CurrentCaller, step_key: StepKey) -> Progress:
    """Start a step."""
    # Repeating it keeps the first time.
    return _mark(db, caller, step_key, {"started": True, "started_at": db.now()}, _NOT_STARTED)


@router.post("/progress/{step_key}/complete", response_model_exclude_none=True, responses=problems(404))
def complete_step(db: Db, caller: CurrentCaller, step_key: StepKey) -> Progress:
    """Complete a step."""
    # Repeating it keeps the first time.
    return _mark(db, caller, step_key, {"completed": True, "completed_at": db.now()}, _NOT_COMPLETED)


@router.post("/progress/{step_key}/reopen", response_model_exclude_none=True, responses=problems(404))
def reopen_step(db: Db, caller: CurrentCaller, step_key: StepKey) -> Progress:
    """Reopen a completed step."""
    # Its start time is kept.
    step = StepOf(user_id=caller.user_id, step_key=step_key)
    try:
        return db.update(step, set={"completed": False}, remove=["completed_at"], when=_COMPLETED)
    except errors.ConditionNotMet:
        return read_step(db, caller, step_key)


@writes.retrying(on=errors.AlreadyExists)
def _mark(db: Repository, caller: Caller, step_key: str, marks: dict[str, Any], when: Any) -> Progress:
    """Set fields of a step, and create the step if it does not exist, or write it anew if it cannot be read."""
    step = StepOf(user_id=caller.user_id, step_key=step_key)
    new = Progress(**{**step.model_dump(), "completed": False, **marks})
    try:
        return db.update(step, set=marks, when=when)
    except errors.ConditionNotMet:
        with suppress(errors.UnknownItem):
            return read_step(db, caller, step_key)
    except errors.DoesNotExist:
        return db.create(new)
    except errors.UnknownItem:
        pass
    return db.put(new)


@lru_cache(maxsize=4096)
def natural_order(step_key: str) -> NaturalOrder:
    """Return a sort key for step keys: `onboarding-3.5` before `onboarding-10`.

    >>> sorted(["visa", "onboarding-10", "onboarding-2", "onboarding-3.5"], key=natural_order)
    ['onboarding-2', 'onboarding-3.5', 'onboarding-10', 'visa']
    """
    parts = _NUMBER.split(step_key)
    return tuple(
        (True, float(part), part) if place % 2 else (False, 0.0, part) for place, part in enumerate(parts)
    )


@router.get("/progress", name="read_progress")
def list_progress(
    db: Db, caller: CurrentCaller, paging: PageRequest, steps: Steps = None
) -> reads.Page[Progress]:
    """List your steps by key, optionally only some of them."""
    listed = read_steps(db, caller, steps) if steps else read_progress(db, caller)
    return sorted_page(listed, paging, "progress", step_order)
