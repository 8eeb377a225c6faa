"""Proofs about progress."""

import pydantic

from tablewright import errors
from tablewright_systems.service import NotFound
from tablewright_systems.student_hub.design import ProgressOf, StepOf, StepsOf, progress
from tablewright_systems.student_hub.proofs.fixtures import COMMON_STEPS, named, student, units
from tablewright_systems.student_hub.service.progress import (
    complete_step,
    read_progress,
    read_step,
    reopen_step,
    start_step,
)
from tablewright_systems.verification import ProofContext, Proofs, expect_error

PROOFS = Proofs("student_hub")


@PROOFS("A3")
def get_all_user_progress(context: ProofContext) -> None:
    """Get all user progress."""
    ada = student(context)
    with context.measured():
        steps = read_progress(context.db, ada)
    assert {step.step_key for step in steps} == set(COMMON_STEPS)
    assert [step.step_key for step in steps if step.completed] == ["visa"]


@PROOFS("A4")
def mark_step_as_completed(context: ProofContext) -> None:
    """Mark a step as completed; repeating it changes nothing."""
    ada = context.caller()
    with context.measured():
        done = complete_step(context.db, ada, "visa")
    assert (done.completed, done.completed_at) == (True, context.db.now())
    context.clock.advance(60)
    assert complete_step(context.db, ada, "visa") == done
    expect_error(pydantic.ValidationError, lambda: complete_step(context.db, ada, "Visa!"))


@PROOFS("A8")
def get_one_step(context: ProofContext) -> None:
    """Get one step of a user."""
    ada = student(context)
    with context.measured():
        step = context.db.run(StepOf(user_id=ada.user_id, step_key="visa"))
    assert step is not None
    assert step.completed
    expect_error(NotFound, lambda: read_step(context.db, ada, "insurance"))
    expect_error(NotFound, lambda: read_step(context.db, context.caller(), "visa"))


@PROOFS("A11")
def batch_get_steps(context: ProofContext) -> None:
    """Get some steps of a user in one batch."""
    ada = student(context)
    with context.measured():
        steps = context.db.run(StepsOf(user_id=ada.user_id, step_key=["visa", "housing", "insurance"]))
    assert {step.step_key for step in steps} == {"visa", "housing"}


@PROOFS("A21")
def start_a_step(context: ProofContext) -> None:
    """Start a step; completing it later keeps its start time."""
    ada = context.caller()
    with context.measured():
        begun = start_step(context.db, ada, "housing")
    assert (begun.started, begun.started_at, begun.completed) == (True, context.db.now(), False)
    context.clock.advance(60)
    assert start_step(context.db, ada, "housing") == begun
    done = complete_step(context.db, ada, "housing")
    assert (done.started_at, done.completed_at) == (begun.started_at, context.db.now())


@PROOFS("A22")
def uncomplete_a_step(context: ProofContext) -> None:
    """Reopen a step: its completion time is removed, its start time stays."""
    ada = context.caller()
    begun = start_step(context.db, ada, "banking")
    complete_step(context.db, ada, "banking")
    with context.measured():
        reopened = reopen_step(context.db, ada, "banking")
    assert (reopened.completed, reopened.completed_at) == (False, None)
    assert reopened.started_at == begun.started_at
    assert read_step(context.db, ada, "banking") == reopened
    expect_error(errors.DoesNotExist, lambda: reopen_step(context.db, ada, "insurance"))


@PROOFS("F13")
def one_query_instead_of_many_gets(context: ProofContext) -> None:
    """Read many steps with one query: fewer requests than gets, and no more capacity than a batch of three."""
    ada = student(context)
    keys = ["visa", "housing", "banking"]
    batch = units(context, lambda: context.db.run(StepsOf(user_id=ada.user_id, step_key=keys)))
    query = units(context, lambda: context.db.all(ProgressOf(user_id=ada.user_id)))
    assert context.measurement.operations == ["BatchGetItem", "Query"]
    assert query <= batch
    too_many = [f"step-{number}" for number in range(101)]
    request = {"Keys": [{"userId": {"S": ada.user_id}, "stepKey": {"S": key}} for key in too_many]}
    batch_get = {"RequestItems": {named(context, progress): request}}
    expect_error(errors.ValidationError, lambda: context.db.connection.call("BatchGetItem", batch_get))
