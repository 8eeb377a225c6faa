"""Tags: labels for resources of one type in one account."""

from tablewright import Query, Repository, errors, reads, writes
from tablewright_systems.listbackup.design.tags import Tag, TagById, TagOf, TagsByKey, TagsOfType
from tablewright_systems.listbackup.design.vocabulary import ResourceType, Right
from tablewright_systems.listbackup.service.access import Area, require_right
from tablewright_systems.listbackup.service.activities import audit
from tablewright_systems.listbackup.service.activities.audit import Action
from tablewright_systems.listbackup.service.tags.attachments import MAX_ROUNDS, detach_batch
from tablewright_systems.listbackup.service.tags.lookup import TAG_CHANGED, find_tag, reread
from tablewright_systems.service import Caller, Conflict, Forbidden, NotFound, require_found, transact


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


def read_tag(db: Repository, caller: Caller, name: TagOf) -> Tag:
    """Return the tag with a key and value."""
    return find_tag(db, caller, name, Right.READ)[1]


def tag_by_id(db: Repository, caller: Caller, tag_id: str) -> Tag:
    """Return a tag by its id alone: found by the index, then read from its account, if the caller may."""
    found = require_found(db.run(TagById(tag_id=tag_id)), f"tag {tag_id}")
    try:
        require_right(db, caller, found.account_id, Area.SOURCES, Right.READ)
    except Forbidden:
        raise NotFound(f"tag {tag_id}") from None
    return reread(db, found)


def tags_of_account(
    db: Repository, caller: Caller, account_id: str, resource_type: ResourceType, tag_key: str | None = None
) -> Query[Tag]:
    """Return the pattern that lists the tags for a type of resource, or those with one key."""
    require_right(db, caller, account_id, Area.SOURCES, Right.READ)
    if tag_key is None:
        return TagsOfType(account_id=account_id, resource_type=resource_type)
    return TagsByKey(account_id=account_id, resource_type=resource_type, tag_key=tag_key)


def tags_of_all_types(db: Repository, caller: Caller, account_id: str, tag_key: str) -> reads.Chained[Tag]:
    """Return the patterns that list the tags with one key for all types. The index has a partition for each type."""
    require_right(db, caller, account_id, Area.SOURCES, Right.READ)
    return reads.Chained(
        TagsByKey(account_id=account_id, resource_type=kind, tag_key=tag_key) for kind in ResourceType
    )


def change_tag(
    db: Repository,
    caller: Caller,
    name: TagOf,
    *,
    color: str | None = None,
    description: str | None = None,
) -> Tag:
    """Change a tag's color or description."""
    access, before = find_tag(db, caller, name, Right.UPDATE)
    given = {"color": color, "description": description}
    values = {field: value for field, value in given.items() if value is not None}
    unchanged = Tag.tag_id == before.tag_id
    return audit.change(
        db, caller, before, values, key=name, access=access, when=unchanged, otherwise=TAG_CHANGED
    )


def rename_tag(db: Repository, caller: Caller, name: TagOf, *, tag_key: str, tag_value: str) -> Tag:
    """Rename a tag. Its name is its key, so the item moves; its id and its resources stay."""
    access, before = find_tag(db, caller, name, Right.UPDATE)
    after = before.changed(tag_key=tag_key, tag_value=tag_value)
    if after == before:
        return before
    recorded = audit.record(caller, before, Action.UPDATE, before=before, after=after)
    moved = writes.Move(
        name,
        to={"tag_key": tag_key, "tag_value": tag_value},
        when=Tag.tag_id == before.tag_id,
        otherwise=_name_taken(tag_key, tag_value),
    )
    db.transact(moved, recorded, *access.grounds)
    return reread(db, after)


def delete_tag(db: Repository, caller: Caller, name: TagOf) -> None:
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
