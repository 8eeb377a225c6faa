"""Encryption keys: each account's secrets are encrypted with its own data key, which a master key outside encrypts.

DynamoDB encrypts with one key for each table, so keys per account belong to the application. All secrets of an account
(tokens, credentials, keys of archives) share one key: deleting it makes them unreadable, in every backup too.
"""

from tablewright import Repository
from tablewright_systems.listbackup.design.memberships import AccountRole
from tablewright_systems.listbackup.design.oauth import OAuthToken
from tablewright_systems.listbackup.service.access import require_role, require_staff
from tablewright_systems.listbackup.service.activities import audit
from tablewright_systems.listbackup.service.activities.audit import Action
from tablewright_systems.service import Caller


def rotate_key(db: Repository, caller: Caller, account_id: str) -> None:
    """Give an account a new key: new writes use it, and older keys still decrypt what they encrypted."""
    access = require_role(db, caller, account_id, AccountRole.OWNER)
    activity = audit.record(caller, access.account, Action.UPDATE, event="key")
    db.transact(activity, *access.grounds)
    db.keys.rotate(OAuthToken, account_id=account_id)


def reencrypt(db: Repository, caller: Caller) -> int:
    """Encrypt again with the newest key what older keys encrypted; return the number of items. For workers."""
    require_staff(caller, "worker")
    return sum(db.keys.reencrypt(entity) for entity in db.design.entities if entity.layout.secrets)


def shred_keys(db: Repository, account_id: str) -> int:
    """Delete the keys of an account, so that its secrets can never be read again."""
    return db.keys.shred(OAuthToken, account_id=account_id)
