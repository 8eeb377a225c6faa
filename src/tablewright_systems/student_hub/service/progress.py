"""Progress: steps are started, completed, and opened again.

A step keeps the moment of its first completion, however often somebody presses the button, and completing it does not
forget when it was started (the document's put does: 336-345).
"""

import re
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from typing import Any

from tablewright import Repository, errors
from tablewright_systems.api_errors import Conflict, NotFound
from tablewright_systems.authentication import Caller
from tablewright_systems.student_hub.design import Progress, ProgressOf, StepOf, StepsOf
from tablewright_systems.student_hub.service import TRIES

_NUMBER = re.compile(r"(\d+(?:\.\d+)?)")

_COMPLETED = Progress.completed == True  # noqa: E712 - a condition
_NOT_COMPLETED = Progress.completed == False  # noqa: E712
_NOT_STARTED = Progress.started == None  # noqa: E711


def read_progress(db: Repository, caller: Caller) -> list[Progress]:
    """All steps of the caller, in the order a person would count them."""
    return in_counting_order(db.all(ProgressOf(user_id=caller.user_id)))


def in_counting_order(steps: Iterable[Progress]) -> list[Progress]:
    """By their keys, in which numbers count as numbers."""
    return sorted(steps, key=lambda step: counting_order(step.step_key))


def read_step(db: Repository, caller: Caller, step_key: str) -> Progress:
    """One step of the caller."""
    step = db.run(StepOf(user_id=caller.user_id, step_key=step_key))
    if step is None:
        raise NotFound(f"progress in {step_key}")
    return step


def read_steps(db: Repository, caller: Caller, step_keys: list[str]) -> list[Progress]:
    """Some steps of the caller; those that were never begun are not among them."""
    wanted = list(dict.fromkeys(step_keys))
    return db.all(StepsOf(user_id=caller.user_id, step_key=wanted))


def start_step(db: Repository, caller: Caller, step_key: str) -> Progress:
    """Note that the caller began a step; the first time counts."""
    return _mark(db, caller, step_key, {"started": True, "started_at": db.now()}, _NOT_STARTED)


def complete_step(db: Repository, caller: Caller, step_key: str) -> Progress:
    """Note that the caller is done with a step; the first time counts."""
    return _mark(db, caller, step_key, {"completed": True, "completed_at": db.now()}, _NOT_COMPLETED)


def reopen_step(db: Repository, caller: Caller, step_key: str) -> Progress:
    """Take a completion back; when the step was started stays."""
    step = StepOf(user_id=caller.user_id, step_key=step_key)
    try:
        return db.update(step, set={"completed": False}, remove=["completed_at"], when=_COMPLETED)
    except errors.ConditionNotMet:
        return read_step(db, caller, step_key)


def _mark(db: Repository, caller: Caller, step_key: str, marks: dict[str, Any], when: Any) -> Progress:
    """Set marks on a step that may not be there yet, unless it has them."""
    step = StepOf(user_id=caller.user_id, step_key=step_key)
    for _ in range(TRIES):
        try:
            return db.update(step, set=marks, when=when)
        except errors.ConditionNotMet:
            if (found := db.run(step)) is not None:
                return found
        except errors.DoesNotExist:
            with suppress(errors.AlreadyExists):
                return db.create(Progress(**{**step.model_dump(), "completed": False, **marks}))
    raise Conflict("the step is made and deleted again and again; try later")


@lru_cache(maxsize=4096)
def counting_order(step_key: str) -> tuple[tuple[bool, float, str], ...]:
    """What to sort step keys by: `onboarding-3.5` before `onboarding-10`, as numbers and not as text.

    >>> sorted(["visa", "onboarding-10", "onboarding-2", "onboarding-3.5"], key=counting_order)
    ['onboarding-2', 'onboarding-3.5', 'onboarding-10', 'visa']
    """
    parts = _NUMBER.split(step_key)
    return tuple(
        (True, float(part), part) if place % 2 else (False, 0.0, part) for place, part in enumerate(parts)
    )
