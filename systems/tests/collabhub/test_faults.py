"""CollabHub on a faulty store: flows succeed or raise a clear error, and never leave wrong data."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial

import pytest
from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.design import AccessLevel, EventOutcome, Role
from tablewright_systems.collabhub.proofs import PROOFS, fixtures
from tablewright_systems.collabhub.service import (
    access,
    applications,
    conversations,
    messages,
    startups,
    subscriptions,
)
from tablewright_systems.registry import find
from tablewright_systems.service import Conflict, Forbidden, JobRun
from tablewright_systems.verification import Proof
from tablewright_systems.verification.proof_runner import proof_context, verify

from systems.tests.collabhub.table_contents import assert_consistent, count_errors, open_store
from systems.tests.races import race, winners
from tablewright import Clock, Faults, Repository, errors

BUSY = Faults(seed=3, throttling=0.03, conflicts=0.06)
# With a larger share, one of the many batches of a single entry would fail in all of its attempts now and then.
IN_PIECES = Faults(seed=7, unprocessed=0.3, short_pages=0.7)
BROKEN = Faults(seed=5, internal_errors=0.1)
LAGGING = Faults(seed=9, index_lag=30.0, stale_reads=1.0, staleness=30.0)

# Proofs that read the table consistently, and no index.
CERTAIN = {
    "A1",
    "A5",
    "A8",
    "A10",
    "A13",
    "A16",
    "A18",
    "A19",
    "A31",
    "A35",
    "A36",
    "A37",
    "A39",
    "F2",
    "F4",
}

LETTER = "Me."
HELLO = messages.MessageDraft(content="Hello")


def failures(faults: Faults, proofs: list[Proof]) -> dict[str, str]:
    """Run the proofs, and return the failure of each one that failed."""
    system = find("collabhub")
    assert system is not None
    with proof_context(system, faults=faults) as context:
        verdicts = [verify(system, context, proof) for proof in proofs]
    return {verdict.proof.number: verdict.failure for verdict in verdicts if verdict.failure is not None}


@pytest.mark.parametrize("faults", [BUSY, IN_PIECES], ids=["busy", "in pieces"])
def test_every_proof_holds_despite_faults(faults: Faults) -> None:
    assert failures(faults, list(PROOFS)) == {}


def test_consistent_proofs_hold_despite_index_lag() -> None:
    assert failures(LAGGING, [proof for proof in PROOFS if proof.number in CERTAIN]) == {}


def test_revoked_access_ends_despite_index_lag() -> None:
    clock = Clock(start=1_750_000_000)
    with open_store(clock, LAGGING) as db:
        ada = fixtures.new_user(db, Role.FOUNDER)
        startup = fixtures.new_startup(db, ada)
        ivy, request = fixtures.new_access_request(db, startup)
        fixtures.approve_access(db, ada, request)
        assert access.own_level(db, ivy, startup.startup_id) == AccessLevel.VIEW_DECK
        access.revoke(db, ada, request.access_id)
        assert access.own_level(db, ivy, startup.startup_id) is None
        assert startups.read_startup(db, ivy, startup.startup_id).pitch_deck_url is None


def test_the_first_event_of_a_customer_needs_no_index() -> None:
    with open_store(Clock(start=1_750_000_000), LAGGING) as db:
        ada = fixtures.new_user(db, Role.FOUNDER)
        first = fixtures.billing_event(db, ada)
        assert subscriptions.receive_event(db, first) == EventOutcome.APPLIED
        assert subscriptions.receive_event(db, first) == EventOutcome.DUPLICATE
        assert_consistent(db)


def attempt(action: Callable[[], object]) -> None:
    """Repeat an action until it succeeds, as a client does after a clear error."""
    for _ in range(20):
        try:
            action()
        except (errors.InternalFailure, errors.OutcomeUnknown):
            continue
        except (Conflict, errors.AlreadyExists):
            return  # the previous attempt succeeded
        return
    raise AssertionError("the action never succeeded")


def test_interrupted_flows_are_never_partial() -> None:
    """One request of ten fails, half of these after it was executed."""
    with open_store(Clock(start=1_750_000_000), BROKEN) as db:
        ada, bob = fixtures.new_user(db, Role.FOUNDER), fixtures.new_user(db, Role.TALENT)
        startup = fixtures.new_startup(db, ada)
        role = fixtures.new_role(db, ada, startup)
        talents = [fixtures.new_user(db, Role.TALENT) for _ in range(6)]
        for talent in talents:
            attempt(partial(applications.apply, db, talent, role.startup_id, role.role_id, LETTER))
        conversation = conversations.start_direct(db, ada, bob.user_id).conversation_id
        for number in range(6):
            draft = messages.MessageDraft(content=f"{number}", mark=f"m{number}")
            attempt(partial(messages.send_message, db, ada, conversation, draft))
            attempt(partial(messages.send_message, db, ada, conversation, draft))
        contents = assert_consistent(db)
        assert [role.applicant_count for role in contents.of(design.StartupRole)] == [6]
        assert sorted(message.content for message in contents.of(design.Message)) == list("012345")


def concurrent_flows(db: Repository, size: int) -> list[Callable[[], object]]:
    """Return concurrent actions: messages, applications and joining users."""
    ada = fixtures.new_user(db, Role.FOUNDER)
    role = fixtures.new_role(db, ada, fixtures.new_startup(db, ada))
    talents = [fixtures.new_user(db, Role.TALENT) for _ in range(size)]
    others = [fixtures.new_user(db, Role.TALENT) for _ in range(2)]
    conversation = conversations.start_group(db, ada, [talent.user_id for talent in talents]).conversation_id
    return [
        *(partial(messages.send_message, db, talent, conversation, HELLO) for talent in talents),
        *(
            partial(applications.apply, db, talent, role.startup_id, role.role_id, LETTER)
            for talent in talents
        ),
        *(partial(conversations.add_participant, db, ada, conversation, other.user_id) for other in others),
    ]


def test_concurrent_flows_succeed_on_a_busy_store() -> None:
    with open_store(Clock(start=1_750_000_000), BUSY) as db:
        outcomes = race(*concurrent_flows(db, 4))
        assert count_errors(outcomes) == {}
        assert_consistent(db)


def test_concurrent_flows_stay_consistent_on_a_failing_store() -> None:
    with open_store(Clock(start=1_750_000_000), Faults(seed=11, internal_errors=0.05, conflicts=0.05)) as db:
        outcomes = race(*concurrent_flows(db, 4))
        assert count_errors(outcomes).keys() <= {"OutcomeUnknown", "InternalFailure", "Contended"}
        assert len(winners(outcomes)) > 5
        assert_consistent(db)


def test_expired_access_is_rejected_before_any_sweep() -> None:
    clock = Clock(start=1_750_000_000)
    with open_store(clock, Faults(seed=2, index_lag=3600.0)) as db:
        ada = fixtures.new_user(db, Role.FOUNDER)
        startup = fixtures.new_startup(db, ada)
        ivy, request = fixtures.new_access_request(db, startup, AccessLevel.FULL_ACCESS)
        fixtures.approve_access(db, ada, request, timedelta(minutes=10))
        clock.advance(timedelta(minutes=10))
        assert access.own_level(db, ivy, startup.startup_id) is None
        assert access.end_expired(JobRun(db)) == 0  # the index does not show it yet
        startups.suspend(db, fixtures.STAFF, startup.startup_id)
        with pytest.raises(Forbidden):
            startups.read_startup(db, ivy, startup.startup_id)
        clock.advance(timedelta(hours=1))
        assert access.end_expired(JobRun(db)) == 1
