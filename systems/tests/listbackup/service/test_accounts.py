"""Encryption keys: owners rotate them, a job encrypts again what older keys encrypted."""

import pytest
from tablewright_systems.listbackup.design.archives import ArchiveKind
from tablewright_systems.listbackup.design.memberships import AccountRole
from tablewright_systems.listbackup.proofs.fixtures import (
    api_key_source,
    new_member,
    new_owner,
    oauth_source,
)
from tablewright_systems.listbackup.service import accounts, archives
from tablewright_systems.service import Caller, Forbidden

from tablewright import Repository


def test_every_secret_of_an_account_is_encrypted_again(
    db: Repository, caller: Caller, account_id: str
) -> None:
    oauth_source(db, caller, account_id)
    api_key_source(db, caller, account_id)
    db.create(archives.new_archive(db, account_id, ArchiveKind.BACKUP, caller.user_id))
    accounts.rotate_key(db, caller, account_id)
    assert accounts.reencrypt(db) == 3
    assert accounts.reencrypt(db) == 0


def test_an_account_without_keys_does_not_stop_the_others(
    db: Repository, caller: Caller, account_id: str
) -> None:
    closing, closed = new_owner(db)
    for owner, account in ((closing, closed.account_id), (caller, account_id)):
        api_key_source(db, owner, account)
        accounts.rotate_key(db, owner, account)
    accounts.shred_keys(db, closed.account_id)
    assert accounts.reencrypt(db) == 1


def test_admins_and_members_do_not_rotate_keys(db: Repository, caller: Caller, account_id: str) -> None:
    admin = new_member(db, caller, account_id, AccountRole.ADMIN)
    with pytest.raises(Forbidden, match="you must be owner"):
        accounts.rotate_key(db, admin, account_id)
