"""Tags: labels for resources of one type in one account, and which resources carry them.

A tag counts its resources, in the transactions that attach and detach. So a tag can be deleted only when no resource
carries it. Resources refer to a tag by its id, which stays the same when the tag is renamed.
"""

from contextlib import suppress
from typing import Annotated

from fastapi import Depends, Query, Response
from pydantic import AfterValidator

from tablewright import Repository, errors, reads, writes
from tablewright_systems.listbackup.design.accounts import AccountById
from tablewright_systems.listbackup.design.connections import Connection, ConnectionById
from tablewright_systems.listbackup.design.jobs import JobOfAccount
from tablewright_systems.listbackup.design.memberships import Membership
from tablewright_systems.listbackup.design.sources import SourceOfAccount
from tablewright_systems.listbackup.design.tags import (
    Color,
    Description,
    ResourcesWithTag,
    Tag,
    TagById,
    TaggedResource,
    TagOf,
    TagsByKey,
    TagsOfResource,
    TagsOfType,
    Word,
)
from tablewright_systems.listbackup.design.teams import TeamOfAccount
from tablewright_systems.listbackup.design.vocabulary import Id, ResourceType, Right
from tablewright_systems.listbackup.service import audit
from tablewright_systems.listbackup.service.access import Access, Area, require_right
from tablewright_systems.listbackup.service.audit import Action
from tablewright_systems.service import (
    FIRST_PAGE,
    Caller,
    Conflict,
    Forbidden,
    Invalid,
    NotFound,
    is_conflict,
    require_found,
    require_name,
    sorted_page,
    transact,
)
from tablewright_systems.web import CurrentCaller, Db, PageRequest, Router

router = Router("Tags", "Tags, and the resources that have them.")

NewWord = Annotated[Word, AfterValidator(require_name)]
_KEY = Query(alias="key")
_TAGS = "/accounts/{account_id}/tags/{resource_type}"
_TAG = f"{_TAGS}/tag"


def _name(account_id: str, resource_type: ResourceType, key: Word, value: Word) -> TagOf:
    """Return the name of a tag: `key` and `value` are in the query, because they may contain slashes."""
    return TagOf(account_id=account_id, resource_type=resource_type, tag_key=key, tag_value=value)


TagName = Annotated[TagOf, Depends(_name)]


@router.post(_TAGS, status_code=201)
def create_tag(
    db: Db,
    caller: CurrentCaller,
    account_id: str,
    resource_type: ResourceType,
    *,
    tag_key: NewWord,
    tag_value: NewWord,
    color: Color = "#808080",
    description: Description = "",
) -> Tag:
    """Create a tag; its key and value are unique for a type of resource."""
    access = require_right(db, caller, account_id, Area.SOURCES, Right.CREATE)
    tag = Tag(
        account_id=account_id,
        resource_type=resource_type,
        tag_key=tag_key,
        tag_value=tag_value,
        color=color,
        description=description,
        created_by=caller.user_id,
    )
    created, *_ = transact(
        db,
        writes.Create(tag, otherwise=_name_taken(tag_key, tag_value)),
        audit.record(caller, tag, Action.CREATE, after=tag),
        *access.grounds,
    )
    return created


@router.get(_TAG)
def read_tag(db: Db, caller: CurrentCaller, name: TagName) -> Tag:
    """Get a tag by its key and value."""
    return find_tag(db, caller, name, Right.READ)[1]


@router.get("/tags/{tag_id}")
def tag_by_id(db: Db, caller: CurrentCaller, tag_id: str) -> Tag:
    """Get a tag by its id alone. A tag created or renamed just now may not be found yet."""
    tag = require_found(db.run(TagById(tag_id=tag_id)), f"tag {tag_id}")
    try:
        require_right(db, caller, tag.account_id, Area.SOURCES, Right.READ)
    except Forbidden:
        raise NotFound(f"tag {tag_id}") from None
    return reread(db, tag)


@router.get(_TAGS, name="read_tags")
def tags_of_account(
    db: Db,
    caller: CurrentCaller,
    account_id: str,
    resource_type: ResourceType,
    tag_key: Annotated[Word | None, _KEY] = None,
    paging: PageRequest = FIRST_PAGE,
) -> reads.Page[Tag]:
    """List the tags for a type of resource, or those with one key."""
    require_right(db, caller, account_id, Area.SOURCES, Right.READ)
    if tag_key is None:
        return paging.run(db, TagsOfType(account_id=account_id, resource_type=resource_type))
    return paging.run(db, TagsByKey(account_id=account_id, resource_type=resource_type, tag_key=tag_key))


@router.get("/accounts/{account_id}/tags")
def tags_of_all_types(
    db: Db,
    caller: CurrentCaller,
    account_id: str,
    tag_key: Annotated[Word, _KEY],
    paging: PageRequest = FIRST_PAGE,
) -> reads.Page[Tag]:
    """List the tags with one key, for all types of resources."""
    require_right(db, caller, account_id, Area.SOURCES, Right.READ)
    keys = (TagsByKey(account_id=account_id, resource_type=kind, tag_key=tag_key) for kind in ResourceType)
    return paging.run(db, reads.Chained(keys))  # the index has a partition for each type


@router.patch(_TAG)
def change_tag(
    db: Db,
    caller: CurrentCaller,
    name: TagName,
    *,
    color: Color | None = None,
    description: Description | None = None,
) -> Tag:
    """Change a tag's color or description."""
    access, before = find_tag(db, caller, name, Right.UPDATE)
    values = audit.present(color=color, description=description)
    unchanged = Tag.tag_id == before.tag_id
    return audit.change(
        db, caller, before, values, key=name, access=access, when=unchanged, otherwise=TAG_CHANGED
    )


@router.put(f"{_TAG}/name")
def rename_tag(db: Db, caller: CurrentCaller, name: TagName, *, tag_key: NewWord, tag_value: NewWord) -> Tag:
    """Rename a tag; it stays attached to its resources."""
    access, before = find_tag(db, caller, name, Right.UPDATE)
    after = before.changed(tag_key=tag_key, tag_value=tag_value)
    if after == before:
        return before
    recorded = audit.record(caller, before, Action.UPDATE, before=before, after=after)
    moved = writes.Move(  # its name is its key
        name,
        to={"tag_key": tag_key, "tag_value": tag_value},
        when=Tag.tag_id == before.tag_id,
        otherwise=_name_taken(tag_key, tag_value),
    )
    db.transact(moved, recorded, *access.grounds)
    return reread(db, after)


@router.delete(_TAG, status_code=204, response_class=Response)
def delete_tag(db: Db, caller: CurrentCaller, name: TagName) -> None:
    """Detach a tag from all resources, and delete it. After an interruption it can be called again."""
    access, tag = find_tag(db, caller, name, Right.DELETE)
    unused = Tag.resource_count == 0
    for _ in range(MAX_ROUNDS):
        detach_batch(db, access, tag)
        try:
            db.transact(
                writes.Delete(name, when=unused & (Tag.tag_id == tag.tag_id)),
                audit.record(caller, tag, Action.DELETE, before=tag),
                *access.grounds,
            )
        except errors.TransactionFailed:
            tag = reread(db, tag)
        else:
            return
    raise Conflict("the tag is attached to new resources while it is being deleted; try again", "tagId")


def _name_taken(tag_key: str, tag_value: str) -> Conflict:
    return Conflict(f"a tag {tag_key}={tag_value} already exists, or the tag has changed", "tagValue")


BATCH_SIZE = 40
"""Resources that one transaction detaches: two items each, and the tag."""
MAX_ROUNDS = 20


@router.put(f"{_TAG}/resources/{{resource_id}}")
def attach(db: Db, caller: CurrentCaller, name: TagName, resource_id: Id) -> Tag:
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


@router.delete(f"{_TAG}/resources/{{resource_id}}")
def detach(db: Db, caller: CurrentCaller, name: TagName, resource_id: Id) -> Tag:
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
        attached = {attachment.tag_id for attachment in db.iterate(pattern)}
        if not attached:
            return
        for tag in db.iterate(TagsOfType(account_id=account_id, resource_type=resource_type)):
            if tag.tag_id in attached:
                with suppress(errors.TransactionFailed):  # renamed or detached by another request
                    db.transact(_removal(tag, resource_id), _count_change(tag, -1))
    raise TAG_CHANGED


@router.get(f"{_TAG}/resources")
def resources_with_tag(
    db: Db, caller: CurrentCaller, name: TagName, paging: PageRequest = FIRST_PAGE
) -> reads.Page[TaggedResource]:
    """List the resources that carry a tag."""
    return paging.run(db, _resources_with(find_tag(db, caller, name, Right.READ)[1]))


@router.get("/accounts/{account_id}/resources/{resource_type}/{resource_id}/tags")
def tags_of_resource(
    db: Db,
    caller: CurrentCaller,
    account_id: str,
    resource_type: ResourceType,
    resource_id: Id,
    paging: PageRequest = FIRST_PAGE,
) -> reads.Page[Tag]:
    """List the tags of a resource by key and value."""
    require_right(db, caller, account_id, Area.SOURCES, Right.READ)
    pattern = TagsOfResource(account_id=account_id, resource_type=resource_type, resource_id=resource_id)
    attached = {attachment.tag_id for attachment in db.iterate(pattern)}
    of_type = db.iterate(TagsOfType(account_id=account_id, resource_type=resource_type)) if attached else ()
    carried = [tag for tag in of_type if tag.tag_id in attached]
    return sorted_page(carried, paging, f"tags of {resource_id}", lambda tag: (tag.tag_key, tag.tag_value))


def _failed_entities(failed: errors.TransactionFailed) -> set[str]:
    """Return the entities on which a transaction failed; raise errors that only concurrent writers caused."""
    failures = [failure for failure in failed.failures if failure is not None]
    if not all(isinstance(failure, errors.WriteError) for failure in failures) or is_conflict(failed):
        raise failed
    return {failure.entity for failure in failures if isinstance(failure, errors.WriteError)}


def _resources_with(tag: Tag) -> ResourcesWithTag:
    return ResourcesWithTag(account_id=tag.account_id, resource_type=tag.resource_type, tag_id=tag.tag_id)


def detach_batch(db: Repository, access: Access, tag: Tag) -> None:
    """Detach a tag from as many resources as one transaction holds; of concurrent calls, one succeeds."""
    while attached := list(db.run(_resources_with(tag), limit=BATCH_SIZE)):
        removed = [_removal(tag, attachment.resource_id) for attachment in attached]
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


TAG_CHANGED = Conflict("the tag was renamed or deleted by another request; read it and try again", "tagId")


def find_tag(db: Repository, caller: Caller, name: TagOf, right: Right) -> tuple[Access, Tag]:
    """Return the tag with a key and value and the caller's access to it; raise NotFound if there is none."""
    access = require_right(db, caller, name.account_id, Area.SOURCES, right)
    return access, require_found(db.run(name), f"tag {name.tag_key}={name.tag_value}")


def target_of(tag: Tag) -> TagOf:
    """Return the key of a tag."""
    return TagOf(
        account_id=tag.account_id,
        resource_type=tag.resource_type,
        tag_key=tag.tag_key,
        tag_value=tag.tag_value,
    )


def reread(db: Repository, tag: Tag) -> Tag:
    """Return the current tag from the table, because an index may show a renamed or deleted one."""
    current = db.run(target_of(tag))
    if current is None or current.tag_id != tag.tag_id:
        raise NotFound(f"tag {tag.tag_id}")
    return current
