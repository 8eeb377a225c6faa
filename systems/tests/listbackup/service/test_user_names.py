"""Names of users in lists: one row that cannot be read does not break the list."""

from tablewright_systems.listbackup.design.users import users
from tablewright_systems.listbackup.proofs.fixtures import new_member
from tablewright_systems.listbackup.service import memberships
from tablewright_systems.service import Caller, call_raw

from tablewright import Repository


def test_a_member_whose_user_cannot_be_read_has_no_name(
    db: Repository, caller: Caller, account_id: str
) -> None:
    bob = new_member(db, caller, account_id)
    names = {member.user_id: member.user_name for member in memberships.members_of(db, caller, account_id)}
    assert all(names.values())
    change = {
        "TableName": db.context.table_name(users),
        "Key": {"userId": {"S": bob.user_id}},
        "UpdateExpression": "REMOVE displayEmail",
    }
    call_raw(db, "UpdateItem", change)
    names = {member.user_id: member.user_name for member in memberships.members_of(db, caller, account_id)}
    assert names.pop(bob.user_id) is None
    assert all(names.values())
