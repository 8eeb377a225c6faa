"""Lookup: finding a tag by its name, and the activity that records a change to it."""

from tablewright import Repository
from tablewright_systems.listbackup.design.tags import Tag, TagOf
from tablewright_systems.listbackup.design.vocabulary import Right
from tablewright_systems.listbackup.service.access import Access, Area, require_right
from tablewright_systems.service import Caller, Conflict, NotFound, require_found

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
    found = db.run(target_of(tag))
    if found is None or found.tag_id != tag.tag_id:
        raise NotFound(f"tag {tag.tag_id}")
    return found
