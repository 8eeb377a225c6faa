"""Proofs about progress."""

from tablewright_systems.proofs import Proofs, Stage
from tablewright_systems.student_hub.design import ProgressOf, StepOf, StepsOf
from tablewright_systems.student_hub.proofs.arranging import COMMON_STEPS, student, units
from tablewright_systems.student_hub.service.progress import (
    complete_step,
    read_progress,
    read_step,
    reopen_step,
    start_step,
)

PROOFS = Proofs("student_hub")


@PROOFS("A3", "002:304")
def get_all_user_progress(stage: Stage) -> None:
    """Get all user progress."""
    ada = student(stage)
    with stage.measured():
        steps = read_progress(stage.db, ada)
    assert {step.step_key for step in steps} == set(COMMON_STEPS)
    assert [step.step_key for step in steps if step.completed] == ["visa"]


@PROOFS("A4", "002:330")
def mark_step_as_completed(stage: Stage) -> None:
    """Mark a step as completed; a second time changes nothing."""
    ada = stage.caller()
    with stage.measured():
        done = complete_step(stage.db, ada, "visa")
    assert (done.completed, done.completed_at) == (True, stage.db.now())
    stage.clock.advance(60)
    assert complete_step(stage.db, ada, "visa") == done


@PROOFS("A8", "002:452")
def get_one_step(stage: Stage) -> None:
    """Get one step of a user."""
    ada = student(stage)
    with stage.measured():
        step = stage.db.run(StepOf(user_id=ada.user_id, step_key="visa"))
    assert step is not None
    assert step.completed
    assert stage.db.run(StepOf(user_id=ada.user_id, step_key="insurance")) is None


@PROOFS("A11", "002:581")
def batch_get_steps(stage: Stage) -> None:
    """Get some steps of a user in one batch."""
    ada = student(stage)
    with stage.measured():
        steps = stage.db.run(StepsOf(user_id=ada.user_id, step_key=["visa", "housing", "insurance"]))
    assert {step.step_key for step in steps} == {"visa", "housing"}


@PROOFS("A21", "002:170")
def start_a_step(stage: Stage) -> None:
    """Start a step; completing it later keeps when it was started."""
    ada = stage.caller()
    with stage.measured():
        begun = start_step(stage.db, ada, "housing")
    assert (begun.started, begun.started_at, begun.completed) == (True, stage.db.now(), False)
    stage.clock.advance(60)
    assert start_step(stage.db, ada, "housing") == begun
    done = complete_step(stage.db, ada, "housing")
    assert (done.started_at, done.completed_at) == (begun.started_at, stage.db.now())


@PROOFS("A22", "002:168")
def uncomplete_a_step(stage: Stage) -> None:
    """Take a completion back: its moment goes, that of the start stays."""
    ada = stage.caller()
    begun = start_step(stage.db, ada, "banking")
    complete_step(stage.db, ada, "banking")
    with stage.measured():
        reopened = reopen_step(stage.db, ada, "banking")
    assert (reopened.completed, reopened.completed_at) == (False, None)
    assert reopened.started_at == begun.started_at
    assert read_step(stage.db, ada, "banking") == reopened


@PROOFS("F13", "002:775")
def one_query_instead_of_many_gets(stage: Stage) -> None:
    """Read many steps with one query: fewer requests than gets, and no more capacity than a batch of three."""
    ada = student(stage)
    keys = ["visa", "housing", "banking"]
    batch = units(stage, lambda: stage.db.run(StepsOf(user_id=ada.user_id, step_key=keys)))
    query = units(stage, lambda: stage.db.all(ProgressOf(user_id=ada.user_id)))
    assert stage.measure.operations == ["BatchGetItem", "Query"]
    assert query <= batch
