"""Write many entities in one transaction: all writes or none. A transaction is never split."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, NoReturn

from tablewright.access.calls.procedures import Procedure
from tablewright.access.context import Context
from tablewright.access.given_values import describe_given
from tablewright.access.items.vault import run_with_keys
from tablewright.access.otherwise import FAILED_PRECONDITIONS, replacement
from tablewright.access.writes.execute import ItemsKeepChanging, OutcomeInDoubt, WritesFailed, execute
from tablewright.access.writes.plans.plan_write import plan_write
from tablewright.access.writes.plans.write_plan import WritePlan, contended, outcome_unknown
from tablewright.access.writes.values import Delete, Write
from tablewright.design.entities.entities import Entity
from tablewright.errors import InvalidWrite, ServiceError, TablewrightError, TransactionFailed


def transact(context: Context, *writes: Write) -> Procedure[tuple[Entity | None, ...]]:
    """Execute all writes or none; return for each the entity as it is now, where that is known.

    Raise the `otherwise` of the first failed write that has one; without one, `TransactionFailed`.
    """
    if not writes:
        return ()
    if len(writes) == 1 and isinstance(writes[0], Iterable) and not isinstance(writes[0], Entity):
        raise InvalidWrite(
            f"transact takes writes, not {describe_given(writes[0])}; pass each as an argument: transact(*writes)"
        )
    try:
        plans, _ = yield from execute(partial(_plan, context, writes), together=True)
    except WritesFailed as failed:
        _raise(writes, failed.errors, failed.first)
    except OutcomeInDoubt as doubt:
        raise outcome_unknown(writes[0]) from doubt.cause
    except ItemsKeepChanging:
        raise contended(writes[0]) from None
    return tuple(None if isinstance(plan.write, Delete) else plan.entity for plan in plans)


def _plan(context: Context, writes: Sequence[Write], is_retry: bool) -> Procedure[Sequence[WritePlan]]:
    plans = []
    for position, write in enumerate(writes):
        try:
            plans.append((yield from run_with_keys(partial(plan_write, context, write, is_retry=is_retry))))
        except ServiceError:
            raise
        except TablewrightError as error:
            failures = [error if other == position else None for other in range(len(writes))]
            _raise(writes, failures, error)
    _require_distinct(plans)
    return plans


def _require_distinct(plans: Sequence[WritePlan]) -> None:
    """Raise when two writes touch one item: DynamoDB takes each item once in a transaction."""
    seen: dict[Any, WritePlan] = {}
    for plan in plans:
        for action in plan.actions:
            other = seen.setdefault(action.identity, plan)
            if other is not plan:
                raise InvalidWrite(
                    f"two writes of the transaction touch one item: {_text(other)} and {_text(plan)}; "
                    "make them one write"
                )


def _raise(
    writes: Sequence[Write], failures: Sequence[TablewrightError | None], first: TablewrightError
) -> NoReturn:
    """Raise the exception of the first failed write that has one, from `TransactionFailed`."""
    failed = TransactionFailed(failures, [type(write).__name__ for write in writes])
    failed.__cause__ = first
    for write, failure in zip(writes, failures, strict=True):
        if isinstance(failure, FAILED_PRECONDITIONS) and write.otherwise is not None:
            reason = replacement(write.otherwise, failed, failure)
            if reason is not failed:
                raise reason
    raise failed


def _text(plan: WritePlan) -> str:
    return f"{type(plan.write).__name__} of {plan.target.entity.__name__}"
