"""Attachments: which resources carry which tags.

A tag counts its resources, in the transactions that attach and detach. So a tag can be deleted only when no resource
carries it. Resources refer to a tag by its id, which stays the same when the tag is renamed.
"""

from contextlib import suppress

from tablewright import Repository, errors, writes
from tablewright_systems.listbackup.design.accounts import AccountById
from tablewright_systems.listbackup.design.connections import Connection, ConnectionById
from tablewright_systems.listbackup.design.jobs import JobOfAccount
from tablewright_systems.listbackup.design.memberships import Membership
from tablewright_systems.listbackup.design.sources import SourceOfAccount
from tablewright_systems.listbackup.design.tags import (
    ResourcesWithTag,
    Tag,
    TaggedResource,
    TagOf,
    TagsOfResource,
    TagsOfType,
)
from tablewright_systems.listbackup.design.teams import TeamOfAccount
from tablewright_systems.listbackup.design.vocabulary import ResourceType, Right
from tablewright_systems.listbackup.service.access import Access, Area, require_right
from tablewright_systems.listbackup.service.activities import audit
from tablewright_systems.listbackup.service.activities.audit import Action
from tablewright_systems.listbackup.service.tags.lookup import (
    TAG_CHANGED,
    find_tag,
    reread,
    target_of,
)
from tablewright_systems.service import Caller, Invalid, NotFound, is_conflict

BATCH_SIZE = 40
"""Resources that one transaction detaches: two items each, and the tag."""
MAX_ROUNDS = 20


def attach(db: Repository, caller: Caller, name: TagOf, resource_id: str) -> Tag:
    """Attach a tag to a resource of its account and type; attaching it again changes nothing."""
    access, tag = find_tag(db, caller, name, Right.UPDATE)
    attached = TaggedResource(
        account_id=tag.account_id,
        resource_type=tag.resource_type,
        tag_id=tag.tag_id,
        resource_id=resource_id,
        attached_by=caller.user_id,
    )
    resource = _resource_check(tag, resource_id)
    recorded = audit.record(caller, tag, Action.UPDATE, metadata={"attached": resource_id})
    try:
        db.transact(writes.Create(attached), *access.checked(_count_change(tag, +1), resource), recorded)
    except errors.TransactionFailed as failed:
        failed_entities = _failed_entities(failed)
        if Tag.__name__ in failed_entities:
            raise TAG_CHANGED from None
        if TaggedResource.__name__ not in failed_entities:
            raise NotFound(f"{tag.resource_type.value} {resource_id}") from None
    return reread(db, tag)


def detach(db: Repository, caller: Caller, name: TagOf, resource_id: str) -> Tag:
    """Detach a tag from a resource; detaching it again changes nothing."""
    access, tag = find_tag(db, caller, name, Right.UPDATE)
    recorded = audit.record(caller, tag, Action.UPDATE, metadata={"detached": resource_id})
    try:
        db.transact(_removal(tag, resource_id), _count_change(tag, -1), recorded, *access.grounds)
    except errors.TransactionFailed as failed:
        if TaggedResource.__name__ not in _failed_entities(failed):
            raise TAG_CHANGED from None
    return reread(db, tag)


def detach_all(db: Repository, account_id: str, resource_type: ResourceType, resource_id: str) -> None:
    """Detach all tags from a deleted resource, to which no tags can be attached any more."""
    pattern = TagsOfResource(account_id=account_id, resource_type=resource_type, resource_id=resource_id)
    for _ in range(MAX_ROUNDS):
        attached = {each.tag_id for each in db.iterate(pattern)}
        if not attached:
            return
        for tag in db.iterate(TagsOfType(account_id=account_id, resource_type=resource_type)):
            if tag.tag_id in attached:
                with suppress(errors.TransactionFailed):  # renamed or detached by another request
                    db.transact(_removal(tag, resource_id), _count_change(tag, -1))
    raise TAG_CHANGED


def resources_with_tag(db: Repository, caller: Caller, name: TagOf) -> ResourcesWithTag:
    """Return the pattern that lists the resources that carry a tag."""
    _, tag = find_tag(db, caller, name, Right.READ)
    return _resources_with(tag)


def tags_of_resource(
    db: Repository, caller: Caller, account_id: str, resource_type: ResourceType, resource_id: str
) -> list[Tag]:
    """Return the tags of a resource, by key and value."""
    require_right(db, caller, account_id, Area.SOURCES, Right.READ)
    pattern = TagsOfResource(account_id=account_id, resource_type=resource_type, resource_id=resource_id)
    attached = {each.tag_id for each in db.iterate(pattern)}
    of_type = db.iterate(TagsOfType(account_id=account_id, resource_type=resource_type)) if attached else ()
    return [tag for tag in of_type if tag.tag_id in attached]


def _failed_entities(failed: errors.TransactionFailed) -> set[str]:
    """Return the entities on which a transaction failed; raise errors that only concurrent writers caused."""
    failures = [each for each in failed.failures if each is not None]
    if not all(isinstance(each, errors.WriteError) for each in failures) or is_conflict(failed):
        raise failed
    return {each.entity for each in failures if isinstance(each, errors.WriteError)}


def _resources_with(tag: Tag) -> ResourcesWithTag:
    return ResourcesWithTag(account_id=tag.account_id, resource_type=tag.resource_type, tag_id=tag.tag_id)


def detach_batch(db: Repository, access: Access, tag: Tag) -> None:
    """Detach a tag from as many resources as one transaction holds; of concurrent calls, one succeeds."""
    while attached := list(db.run(_resources_with(tag), limit=BATCH_SIZE)):
        removed = [_removal(tag, each.resource_id) for each in attached]
        try:
            db.transact(*removed, _count_change(tag, -len(attached)), *access.grounds)
        except errors.TransactionFailed:
            return


def _count_change(tag: Tag, amount: int) -> writes.Write:
    return writes.Update(target_of(tag), add={"resource_count": amount}, when=Tag.tag_id == tag.tag_id)


def _removal(tag: Tag, resource_id: str) -> writes.Write:
    """Return the write that detaches a tag, on condition that it is attached: so it is counted once."""
    key = {
        "account_id": tag.account_id,
        "resource_type": tag.resource_type,
        "tag_id": tag.tag_id,
        "resource_id": resource_id,
    }
    return writes.Delete(writes.Target(TaggedResource, key), when=TaggedResource.tag_id == tag.tag_id)


def _resource_check(tag: Tag, resource_id: str) -> writes.Write:
    """Return the check that the resource exists in the tag's account."""
    account_id = tag.account_id
    match tag.resource_type:
        case ResourceType.SOURCE:
            return writes.Check(SourceOfAccount(account_id=account_id, source_id=resource_id))
        case ResourceType.JOB:
            return writes.Check(JobOfAccount(account_id=account_id, job_id=resource_id))
        case ResourceType.TEAM:
            return writes.Check(TeamOfAccount(account_id=account_id, team_id=resource_id))
        case ResourceType.USER:
            return writes.Check(Membership(user_id=resource_id, account_id=account_id))
        case ResourceType.CONNECTION:
            ours = Connection.account_id == account_id
            return writes.Check(ConnectionById(connection_id=resource_id), ours)
        case ResourceType.ACCOUNT if resource_id == account_id:
            return writes.Check(AccountById(account_id=account_id))
        case ResourceType.ACCOUNT:
            raise NotFound(f"account {resource_id}")
        case ResourceType.TAG | ResourceType.SESSION | ResourceType.ARCHIVE:
            raise Invalid(f"resources of the type {tag.resource_type.value} carry no tags", "resourceType")
