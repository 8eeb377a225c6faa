"""Tags over HTTP. A tag is named by its account, type, key and value; `key` and `value` may hold slashes."""

from typing import Annotated

from fastapi import APIRouter, Depends, Response
from pydantic import Field

from tablewright_systems.http_api import CurrentCaller, Cursor, Db, Limit, PageReply
from tablewright_systems.listbackup.api.bodies import Body
from tablewright_systems.listbackup.design.tags import Tag, TaggedResource, TagOf, Word
from tablewright_systems.listbackup.design.vocabulary import Id, ResourceType
from tablewright_systems.listbackup.service.tags import attachments, tags

router = APIRouter(tags=["tags"])

Color = Annotated[str, Field(pattern=r"^#[0-9a-fA-F]{6}$")]
Description = Annotated[str, Field(max_length=1000)]
_TAGS = "/accounts/{account_id}/tags/{resource_type}"


def _name(account_id: str, resource_type: ResourceType, key: Word, value: Word) -> TagOf:
    return TagOf(account_id=account_id, resource_type=resource_type, tag_key=key, tag_value=value)


Name = Annotated[TagOf, Depends(_name)]


class NewName(Body):
    """What a tag is called."""

    tag_key: Word
    tag_value: Word


class NewTag(NewName):
    """A tag to be made."""

    color: Color = "#808080"
    description: Description = ""


class NewPaint(Body):
    """What a tag looks like."""

    color: Color | None = None
    description: Description | None = None


@router.post(_TAGS, status_code=201)
def create_tag(
    db: Db, caller: CurrentCaller, account_id: str, resource_type: ResourceType, body: NewTag
) -> Tag:
    """Make a tag for a type of resource."""
    return tags.create_tag(db, caller, account_id, resource_type, **dict(body))


@router.get(_TAGS)
def read_tags(
    db: Db,
    caller: CurrentCaller,
    account_id: str,
    resource_type: ResourceType,
    key: Word | None = None,
    cursor: Cursor = None,
    limit: Limit = 20,
) -> PageReply[Tag]:
    """The tags for a type of resource, perhaps those of one key."""
    pattern = tags.tags_of_account(db, caller, account_id, resource_type, key)
    return PageReply.of(db.run(pattern, limit=limit, cursor=cursor))


@router.get("/accounts/{account_id}/tags")
def tags_of_all_types(db: Db, caller: CurrentCaller, account_id: str, key: Word) -> list[Tag]:
    """The tags of one key, for whatever resources."""
    return tags.tags_of_all_types(db, caller, account_id, key)


@router.get("/tags/{tag_id}")
def tag_by_id(db: Db, caller: CurrentCaller, tag_id: str) -> Tag:
    """A tag, by its id alone; one that was made or renamed a moment ago may not be found so yet."""
    return tags.tag_by_id(db, caller, tag_id)


@router.get(f"{_TAGS}/tag")
def read_tag(db: Db, caller: CurrentCaller, name: Name) -> Tag:
    """The tag of a key and value."""
    return tags.read_tag(db, caller, name)


@router.patch(f"{_TAGS}/tag")
def change_tag(db: Db, caller: CurrentCaller, name: Name, body: NewPaint) -> Tag:
    """Give a tag another colour or description."""
    return tags.change_tag(db, caller, name, color=body.color, description=body.description)


@router.put(f"{_TAGS}/tag/name")
def rename_tag(db: Db, caller: CurrentCaller, name: Name, body: NewName) -> Tag:
    """Rename a tag; those who carry it keep it."""
    return tags.rename_tag(db, caller, name, tag_key=body.tag_key, tag_value=body.tag_value)


@router.delete(f"{_TAGS}/tag", status_code=204, response_class=Response)
def delete_tag(db: Db, caller: CurrentCaller, name: Name) -> None:
    """Take a tag off all who carry it, and delete it."""
    tags.delete_tag(db, caller, name)


@router.get(f"{_TAGS}/tag/resources")
def resources_with_tag(
    db: Db, caller: CurrentCaller, name: Name, cursor: Cursor = None, limit: Limit = 20
) -> PageReply[TaggedResource]:
    """The resources that carry a tag."""
    pattern = attachments.resources_with_tag(db, caller, name)
    return PageReply.of(db.run(pattern, limit=limit, cursor=cursor))


@router.put(f"{_TAGS}/tag/resources/{{resource_id}}")
def attach(db: Db, caller: CurrentCaller, name: Name, resource_id: Id) -> Tag:
    """Give a tag to a resource."""
    return attachments.attach(db, caller, name, resource_id)


@router.delete(f"{_TAGS}/tag/resources/{{resource_id}}")
def detach(db: Db, caller: CurrentCaller, name: Name, resource_id: Id) -> Tag:
    """Take a tag off a resource."""
    return attachments.detach(db, caller, name, resource_id)


@router.get("/accounts/{account_id}/resources/{resource_type}/{resource_id}/tags")
def tags_of_resource(
    db: Db, caller: CurrentCaller, account_id: str, resource_type: ResourceType, resource_id: Id
) -> list[Tag]:
    """The tags that a resource carries."""
    return attachments.tags_of_resource(db, caller, account_id, resource_type, resource_id)
