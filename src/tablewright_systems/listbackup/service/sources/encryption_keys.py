"""The vault: each account's secrets are sealed by a data key of its own, and that by a master key from outside.

DynamoDB's own encryption has one key for a table, so keys per account are the application's. All secrets of an account
(tokens, credentials, verifiers) share its key: whoever deletes it has forgotten them all, in every backup.
"""

from tablewright import Repository
from tablewright_systems.authentication import Caller
from tablewright_systems.listbackup.design.memberships import AccountRole
from tablewright_systems.listbackup.design.oauth import OAuthState, OAuthToken
from tablewright_systems.listbackup.design.sources import Source
from tablewright_systems.listbackup.design.vocabulary import ResourceType
from tablewright_systems.listbackup.service.access import require_role, require_staff
from tablewright_systems.listbackup.service.activities import audit
from tablewright_systems.listbackup.service.activities.audit import Action

SEALED = (Source, OAuthState, OAuthToken)
"""What an account's key seals."""


def rotate_key(db: Repository, caller: Caller, account_id: str) -> None:
    """Give an account a new key: it seals what is written from now on, and older keys still open what they sealed."""
    require_role(db, caller, account_id, AccountRole.OWNER)
    db.keys.rotate(OAuthToken, account_id=account_id)
    db.transact(
        audit.record(caller, account_id, ResourceType.ACCOUNT, account_id, Action.UPDATE, event="key")
    )


def reseal(db: Repository, caller: Caller) -> int:
    """Move what older keys sealed to the newest; how many items that were. For the platform's workers."""
    require_staff(caller, "worker")
    return sum(db.keys.reencrypt(entity) for entity in SEALED)


def shred(db: Repository, account_id: str) -> int:
    """Delete the keys of an account: nobody can read its secrets any more."""
    return db.keys.shred(OAuthToken, account_id=account_id)
