"""`translate_errors`: which errors of the store are replaced."""

import pytest

from tablewright import Repository, errors, writes
from tablewright_systems.listbackup.design.accounts import Account, AccountById
from tablewright_systems.listbackup.design.users import User, UserById
from tablewright_systems.listbackup.proofs.fixtures import new_owner
from tablewright_systems.listbackup.service.store_errors import translate_errors
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Conflict, NotFound

TRANSLATED = Conflict("the account has changed", "accountName")


def failing_update(account_id: str) -> writes.Update[Account]:
    return writes.Update(
        AccountById(account_id=account_id), set={"account_name": "x"}, when=Account.account_name == "other"
    )


def test_a_failed_write_raises_the_given_error(db: Repository, account_id: str) -> None:
    with pytest.raises(Conflict) as error, translate_errors({Account: TRANSLATED}):
        db.transact(failing_update(account_id))
    assert error.value is TRANSLATED


def test_an_error_can_be_built_when_it_is_needed(db: Repository, account_id: str) -> None:
    with pytest.raises(NotFound), translate_errors({Account: lambda: NotFound("account")}):
        db.transact(failing_update(account_id))


def test_errors_of_other_entities_are_unchanged(db: Repository, account_id: str) -> None:
    with pytest.raises(errors.TransactionFailed), translate_errors({User: TRANSLATED}):
        db.transact(failing_update(account_id))


def test_a_taken_unique_value_keeps_its_field(db: Repository, caller: Caller) -> None:
    other, _ = new_owner(db)
    taken = writes.Update(UserById(user_id=other.user_id), set={"username": caller.user_id})
    with pytest.raises(errors.UniqueViolation) as error, translate_errors({User: TRANSLATED}):
        db.transact(taken)
    assert error.value.field == "username"
