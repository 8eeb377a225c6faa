"""Proofs of the audit log."""

from datetime import timedelta

from tablewright import errors
from tablewright_systems.collabhub.design import AuditByUser, AuditByUserBetween, Kind, Role
from tablewright_systems.collabhub.proofs import fixtures
from tablewright_systems.collabhub.service import audit, startups, users
from tablewright_systems.service import Caller, Forbidden
from tablewright_systems.verification import ProofContext, Proofs, expect_error

PROOFS = Proofs("collabhub")
TICK = timedelta(milliseconds=1)


def record_logins(context: ProofContext, user: Caller, times: int, apart: timedelta = TICK) -> None:
    """Record several logins."""
    for _ in range(times):
        context.clock.advance(apart)
        users.record_login(context.db, user)


@PROOFS("A21")
def list_audit_by_date(context: ProofContext) -> None:
    """List audit logs by date, merged from all shards, page by page."""
    context.clock.advance(timedelta(days=1))  # a day without other entries
    ada = fixtures.new_user(context.db, Role.FOUNDER)
    record_logins(context, ada, 5)
    today = context.db.now().date()
    with context.measured():
        entries = fixtures.read_pages(
            lambda paging: audit.entries_of_day(context.db, fixtures.STAFF, today, paging)
        )
    assert [entry.action for entry in entries[-5:]] == ["USER_LOGIN"] * 5
    assert [entry.created_at for entry in entries] == sorted(entry.created_at for entry in entries)
    context.clock.advance(timedelta(days=1))


@PROOFS("A22")
def list_audit_by_user(context: ProofContext) -> None:
    """List audit logs by user, newest first."""
    ada = fixtures.new_user(context.db, Role.FOUNDER)
    record_logins(context, ada, 2)
    entries = fixtures.read_when(
        context,
        lambda: context.db.all(AuditByUser(user_id=ada.user_id)),
        lambda entries: len(entries) == 4,
    )
    assert {entry.action for entry in entries} == {"USER_LOGIN", "USER_ACTIVE", "USER_REGISTERED"}
    assert [entry.created_at for entry in entries] == sorted(
        (entry.created_at for entry in entries), reverse=True
    )


@PROOFS("A30")
def list_audit_by_user_and_time(context: ProofContext) -> None:
    """List audit logs of a user in a range, both ends included."""
    ada = fixtures.new_user(context.db, Role.FOUNDER)
    record_logins(context, ada, 1)
    start = context.db.now()
    record_logins(context, ada, 2)
    end = context.db.now()
    record_logins(context, ada, 1)
    pattern = AuditByUserBetween(user_id=ada.user_id, start=start, end=end)
    entries = fixtures.read_when(context, lambda: context.db.all(pattern), lambda entries: len(entries) == 3)
    assert (entries[0].created_at, entries[-1].created_at) == (end, start)


@PROOFS("A33")
def list_audit_over_days(context: ProofContext) -> None:
    """List audit logs in a range over several days, page by page."""
    ada = fixtures.new_user(context.db, Role.FOUNDER)
    context.clock.advance(TICK)
    start = context.db.now()
    record_logins(context, ada, 5, timedelta(hours=20))
    end = context.db.now()
    with context.measured():
        everything = fixtures.read_pages(
            lambda paging: audit.entries_between(context.db, fixtures.STAFF, start, end, paging)
        )
    entries = [entry for entry in everything if entry.user_id == ada.user_id]
    assert len(entries) == 5
    assert entries[-1].created_at == end


@PROOFS("F8")
def audit_actions(context: ProofContext) -> None:
    """An action and its audit entry are one transaction, with user, action and origin; the system has no user."""
    db = context.db
    ada, eve = fixtures.new_user(db, Role.FOUNDER), fixtures.new_user(db, Role.FOUNDER)
    somewhere = Caller(ada.user_id, {**ada.claims, "ip_address": "192.0.2.1", "user_agent": "Browser/1"})
    with context.measured():
        startup = startups.create_startup(db, somewhere, fixtures.startup_draft())

    def newest(user: Caller) -> tuple[str, str, str, str]:
        entry, *_ = audit.entries_of_user(db, user, user.user_id)
        return entry.action, entry.resource_id, entry.ip_address, entry.user_agent

    created = ("STARTUP_CREATED", startup.startup_id, "192.0.2.1", "Browser/1")
    context.eventually(lambda: newest(ada) == created)
    changes = startups.StartupChanges(name="Looms")
    expect_error(Forbidden, lambda: startups.edit_startup(db, eve, startup.startup_id, changes))
    context.clock.advance(TICK)
    startups.edit_startup(db, somewhere, startup.startup_id, changes)
    context.eventually(lambda: newest(ada) == ("STARTUP_EDITED", *created[1:]))
    context.clock.advance(TICK)
    users.edit_profile(db, somewhere, users.ProfileChanges(bio="Countess"))
    context.eventually(lambda: newest(ada) == ("USER_EDITED", ada.user_id, *created[2:]))
    context.eventually(lambda: newest(eve)[0] == "USER_ACTIVE")

    entry = db.create(audit.audit_entry(db, None, "SWEEP", "SUBSCRIPTION", "-").entity)
    assert entry.user_id is None
    expect_error(Forbidden, lambda: audit.entries_of_user(db, eve, ada.user_id))
    expect_error(Forbidden, lambda: audit.entries_of_day(db, eve, db.now().date()))
    expect_error(Forbidden, lambda: audit.entries_between(db, eve, db.now(), db.now()))
    expect_error(Forbidden, lambda: audit.list_created(db, eve, Kind.USER, db.now(), db.now()))
    expect_error(errors.AlreadyExists, lambda: db.create(entry))
