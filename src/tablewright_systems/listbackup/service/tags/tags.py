"""Tags: labels of one account for resources of one type, and who carries them.

A tag counts its resources, in the transactions that attach and detach. So a tag can be deleted only when nobody carries
it, and what is attached meanwhile is never forgotten. Resources know a tag by its id, which stays when it is renamed.
"""

from contextlib import suppress
from typing import Any

from tablewright import Query, Repository, errors, writes
from tablewright_systems.api_errors import Conflict, Forbidden, Invalid, NotFound
from tablewright_systems.authentication import Caller
from tablewright_systems.listbackup.design.accounts import AccountById
from tablewright_systems.listbackup.design.connections import Connection, ConnectionById
from tablewright_systems.listbackup.design.jobs import JobOfAccount
from tablewright_systems.listbackup.design.memberships import Membership
from tablewright_systems.listbackup.design.sources import SourceOfAccount
from tablewright_systems.listbackup.design.tags import (
    ResourcesWithTag,
    Tag,
    TagById,
    TaggedResource,
    TagOf,
    TagsByKey,
    TagsOfResource,
    TagsOfType,
)
from tablewright_systems.listbackup.design.teams import TeamOfAccount
from tablewright_systems.listbackup.design.vocabulary import ResourceType, Right
from tablewright_systems.listbackup.service.access import Area, admit
from tablewright_systems.listbackup.service.activities import audit
from tablewright_systems.listbackup.service.activities.audit import Action
from tablewright_systems.listbackup.service.retries import is_overtaken
from tablewright_systems.listbackup.service.store_errors import refusing

MOST_AT_ONCE = 40
"""Resources that are detached in one transaction: two items each, and the tag."""
MOST_ROUNDS = 20


def create_tag(
    db: Repository,
    caller: Caller,
    account_id: str,
    resource_type: ResourceType,
    *,
    tag_key: str,
    tag_value: str,
    color: str = "#808080",
    description: str = "",
) -> Tag:
    """A new tag; there is one of a key and value for a type of resource."""
    admit(db, caller, account_id, Area.SOURCES, Right.CREATE)
    tag = Tag(
        account_id=account_id,
        resource_type=resource_type,
        tag_key=tag_key,
        tag_value=tag_value,
        color=color,
        description=description,
        created_by=caller.user_id,
    )
    with refusing({Tag: _taken(tag_key, tag_value)}):
        written = db.transact(writes.Create(tag), _told(caller, tag, Action.CREATE, after=tag))
    assert isinstance(written[0], Tag)
    return written[0]


def read_tag(db: Repository, caller: Caller, name: TagOf) -> Tag:
    """The tag of a key and value."""
    return _tag(db, caller, name, Right.READ)


def tag_by_id(db: Repository, caller: Caller, tag_id: str) -> Tag:
    """A tag of an account that the caller is let in to. The index finds it, the table tells of it."""
    found = db.run(TagById(tag_id=tag_id))
    if found is None:
        raise NotFound(f"tag {tag_id}")
    try:
        admit(db, caller, found.account_id, Area.SOURCES, Right.READ)
    except Forbidden:
        raise NotFound(f"tag {tag_id}") from None
    return _reread(db, found)


def tags_of_account(
    db: Repository, caller: Caller, account_id: str, resource_type: ResourceType, tag_key: str | None = None
) -> Query[Tag]:
    """The pattern that finds the tags for a type of resource, or those of one key."""
    admit(db, caller, account_id, Area.SOURCES, Right.READ)
    if tag_key is None:
        return TagsOfType(account_id=account_id, resource_type=resource_type)
    return TagsByKey(account_id=account_id, resource_type=resource_type, tag_key=tag_key)


def tags_of_all_types(db: Repository, caller: Caller, account_id: str, tag_key: str) -> list[Tag]:
    """The tags of one key for whatever resources: the index has a partition for each type, so each is asked."""
    admit(db, caller, account_id, Area.SOURCES, Right.READ)
    return [
        tag
        for kind in ResourceType
        for tag in db.iterate(TagsByKey(account_id=account_id, resource_type=kind, tag_key=tag_key))
    ]


def repaint_tag(
    db: Repository,
    caller: Caller,
    name: TagOf,
    *,
    color: str | None = None,
    description: str | None = None,
) -> Tag:
    """Give a tag another colour or description."""
    before = _tag(db, caller, name, Right.UPDATE)
    given = {"color": color, "description": description}
    values = {field: value for field, value in given.items() if value is not None}
    if not values:
        return before
    told = _told(caller, before, Action.UPDATE, before=before, after=before.changed(**values))
    with refusing({Tag: _CHANGED}):
        db.transact(writes.Update(name, set=values, when=Tag.tag_id == before.tag_id), told)
    return _reread(db, before)


def rename_tag(db: Repository, caller: Caller, name: TagOf, *, tag_key: str, tag_value: str) -> Tag:
    """Rename a tag. Its name is its key, so that it moves, and keeps its id; those who carry it do not notice."""
    before = _tag(db, caller, name, Right.UPDATE)
    after = before.changed(tag_key=tag_key, tag_value=tag_value)
    if after == before:
        return before
    told = _told(caller, before, Action.UPDATE, before=before, after=after)
    moved = writes.Move(
        name, to={"tag_key": tag_key, "tag_value": tag_value}, when=Tag.tag_id == before.tag_id
    )
    with refusing({Tag: _taken(tag_key, tag_value)}):
        db.transact(moved, told)
    return _reread(db, after)


def delete_tag(db: Repository, caller: Caller, name: TagOf) -> None:
    """Take a tag off all who carry it, and delete it; it can be interrupted anywhere, and begun anew."""
    tag = _tag(db, caller, name, Right.DELETE)
    nobody: Any = Tag.resource_count == 0
    for _ in range(MOST_ROUNDS):
        _detach_some(db, tag)
        try:
            db.transact(
                writes.Delete(name, when=nobody & (Tag.tag_id == tag.tag_id)),
                _told(caller, tag, Action.DELETE, before=tag),
            )
        except errors.TransactionFailed:
            tag = _reread(db, tag)
        else:
            return
    raise Conflict("resources get the tag faster than it is taken off; try again", "tagId")


def attach(db: Repository, caller: Caller, name: TagOf, resource_id: str) -> Tag:
    """Give a tag to a resource of its account and type; one that carries it already keeps it."""
    tag = _tag(db, caller, name, Right.UPDATE)
    carried = TaggedResource(
        account_id=tag.account_id,
        resource_type=tag.resource_type,
        tag_id=tag.tag_id,
        resource_id=resource_id,
        attached_by=caller.user_id,
    )
    resource = _resource(tag, resource_id)
    told = _told(caller, tag, Action.UPDATE, metadata={"attached": resource_id})
    try:
        db.transact(writes.Create(carried), _counted(tag, +1), resource, told)
    except errors.TransactionFailed as failed:
        blamed = _blamed(failed)
        if Tag.__name__ in blamed:
            raise _CHANGED from None
        if TaggedResource.__name__ not in blamed:
            raise NotFound(f"{tag.resource_type.value} {resource_id}") from None
    return _reread(db, tag)


def detach(db: Repository, caller: Caller, name: TagOf, resource_id: str) -> Tag:
    """Take a tag off a resource; from one that does not carry it, nothing is taken."""
    tag = _tag(db, caller, name, Right.UPDATE)
    told = _told(caller, tag, Action.UPDATE, metadata={"detached": resource_id})
    try:
        db.transact(_removed(tag, resource_id), _counted(tag, -1), told)
    except errors.TransactionFailed as failed:
        if TaggedResource.__name__ not in _blamed(failed):
            raise _CHANGED from None
    return _reread(db, tag)


def detach_all(db: Repository, account_id: str, resource_type: ResourceType, resource_id: str) -> None:
    """Take all tags off a resource that is gone, and so can get no new ones."""
    asked = TagsOfResource(account_id=account_id, resource_type=resource_type, resource_id=resource_id)
    for _ in range(MOST_ROUNDS):
        carried = {each.tag_id for each in db.iterate(asked)}
        if not carried:
            return
        for tag in db.iterate(TagsOfType(account_id=account_id, resource_type=resource_type)):
            if tag.tag_id in carried:
                with suppress(errors.TransactionFailed):  # renamed or taken off just now
                    db.transact(_removed(tag, resource_id), _counted(tag, -1))
    raise _CHANGED


def resources_with_tag(db: Repository, caller: Caller, name: TagOf) -> ResourcesWithTag:
    """The pattern that finds the resources that carry a tag."""
    tag = _tag(db, caller, name, Right.READ)
    return _carrying(tag)


def tags_of_resource(
    db: Repository, caller: Caller, account_id: str, resource_type: ResourceType, resource_id: str
) -> list[Tag]:
    """The tags that a resource carries, by key and value."""
    admit(db, caller, account_id, Area.SOURCES, Right.READ)
    asked = TagsOfResource(account_id=account_id, resource_type=resource_type, resource_id=resource_id)
    carried = {each.tag_id for each in db.iterate(asked)}
    of_type = db.iterate(TagsOfType(account_id=account_id, resource_type=resource_type)) if carried else ()
    return [tag for tag in of_type if tag.tag_id in carried]


_CHANGED = Conflict("the tag has just been renamed or deleted; look again", "tagId")


def _taken(tag_key: str, tag_value: str) -> Conflict:
    return Conflict(f"there is a tag {tag_key}={tag_value}, or it has just changed", "tagValue")


def _tag(db: Repository, caller: Caller, name: TagOf, right: Right) -> Tag:
    admit(db, caller, name.account_id, Area.SOURCES, right)
    found = db.run(name)
    if found is None:
        raise NotFound(f"tag {name.tag_key}={name.tag_value}")
    return found


def _blamed(failed: errors.TransactionFailed) -> set[str]:
    """Because of what a transaction failed; what only came at a bad time is raised as it is."""
    failures = [each for each in failed.failures if each is not None]
    if not all(isinstance(each, errors.WriteError) for each in failures) or is_overtaken(failed):
        raise failed
    return {each.entity for each in failures if isinstance(each, errors.WriteError)}


def _carrying(tag: Tag) -> ResourcesWithTag:
    return ResourcesWithTag(account_id=tag.account_id, resource_type=tag.resource_type, tag_id=tag.tag_id)


def _detach_some(db: Repository, tag: Tag) -> None:
    """Take a tag off as many as one transaction can hold; if others do the same, one of them succeeds."""
    while carried := list(db.run(_carrying(tag), limit=MOST_AT_ONCE)):
        removed = [_removed(tag, each.resource_id) for each in carried]
        try:
            db.transact(*removed, _counted(tag, -len(carried)))
        except errors.TransactionFailed:
            return


def _counted(tag: Tag, amount: int) -> writes.Write:
    return writes.Update(_target(tag), add={"resource_count": amount}, when=Tag.tag_id == tag.tag_id)


def _removed(tag: Tag, resource_id: str) -> writes.Write:
    """Taken off, if it was on: so that it is counted once."""
    key = {
        "account_id": tag.account_id,
        "resource_type": tag.resource_type,
        "tag_id": tag.tag_id,
        "resource_id": resource_id,
    }
    return writes.Delete(writes.Address(TaggedResource, key), when=TaggedResource.tag_id == tag.tag_id)


def _resource(tag: Tag, resource_id: str) -> writes.Write:
    """That the resource is there, in the tag's own account."""
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
            ours: Any = Connection.account_id == account_id
            return writes.Check(ConnectionById(connection_id=resource_id), ours)
        case ResourceType.ACCOUNT if resource_id == account_id:
            return writes.Check(AccountById(account_id=account_id))
        case ResourceType.ACCOUNT:
            raise NotFound(f"account {resource_id}")
        case ResourceType.TAG | ResourceType.SESSION:
            raise Invalid(f"a {tag.resource_type.value} carries no tags", "resourceType")


def _target(tag: Tag) -> TagOf:
    return TagOf(
        account_id=tag.account_id,
        resource_type=tag.resource_type,
        tag_key=tag.tag_key,
        tag_value=tag.tag_value,
    )


def _reread(db: Repository, tag: Tag) -> Tag:
    """The tag as the table has it; what an index showed may be renamed or gone by now."""
    found = db.run(_target(tag))
    if found is None or found.tag_id != tag.tag_id:
        raise NotFound(f"tag {tag.tag_id}")
    return found


def _told(
    caller: Caller,
    tag: Tag,
    action: Action,
    *,
    before: Tag | None = None,
    after: Tag | None = None,
    metadata: dict[str, Any] | None = None,
) -> writes.Write:
    return audit.record(
        caller,
        tag.account_id,
        ResourceType.TAG,
        tag.tag_id,
        action,
        before=before,
        after=after,
        metadata=metadata,
    )
