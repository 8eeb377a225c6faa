"""Alerts: who learns what."""

from tablewright_systems.listbackup.design.memberships import AccountRole
from tablewright_systems.listbackup.proofs.fixtures import STAFF, new_member
from tablewright_systems.listbackup.service import mfa, notifications, users
from tablewright_systems.service import Caller

from tablewright import Clock, Repository


def test_notices_about_the_security_of_a_user_are_not_for_admins_of_the_account(
    db: Repository, clock: Clock, caller: Caller, account_id: str
) -> None:
    member = new_member(db, caller, account_id)
    admin = new_member(db, caller, account_id, AccountRole.ADMIN)
    users.choose_primary_account(db, member, account_id)
    secret = mfa.start_mfa(db, member)
    mfa.confirm_mfa(db, member, mfa.totp(secret, clock.now()))
    mfa.reset_mfa(db, STAFF, member.user_id)
    own = [item.message for item in db.all(notifications.inbox(db, member))]
    assert any("second factor was deactivated" in message for message in own)
    for who in (admin, caller):
        shown = db.all(notifications.notifications_of_account(db, who, account_id))
        assert not any("second factor" in item.message for item in shown)
