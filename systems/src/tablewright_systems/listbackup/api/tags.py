"""Tags. A tag is identified by its account, type, key and value; `key` and `value` may contain slashes."""

from typing import Annotated

from fastapi import Depends, Response
from pydantic import AfterValidator, Field

from tablewright_systems.listbackup.design.tags import Tag, TaggedResource, TagOf, Word
from tablewright_systems.listbackup.design.vocabulary import Id, ResourceType
from tablewright_systems.listbackup.service import tags
from tablewright_systems.service import require_name, sorted_page
from tablewright_systems.web import Body, CurrentCaller, Db, PageReply, PageRequest, Router

router = Router("Tags", "Tags, and the resources that have them.")

NewWord = Annotated[Word, AfterValidator(require_name)]
Color = Annotated[str, Field(pattern=r"^#[0-9a-fA-F]{6}$")]
Description = Annotated[str, Field(max_length=1000)]
_TAGS = "/accounts/{account_id}/tags/{resource_type}"


def _name(account_id: str, resource_type: ResourceType, key: Word, value: Word) -> TagOf:
    return TagOf(account_id=account_id, resource_type=resource_type, tag_key=key, tag_value=value)


Name = Annotated[TagOf, Depends(_name)]


class NewName(Body):
    """The new key and value of a tag."""

    tag_key: NewWord
    tag_value: NewWord


class NewTag(NewName):
    """A new tag."""

    color: Color = "#808080"
    description: Description = ""


class TagChanges(Body):
    """The new color and description of a tag."""

    color: Color | None = None
    description: Description | None = None


@router.post(_TAGS, status_code=201)
def create_tag(
    db: Db, caller: CurrentCaller, account_id: str, resource_type: ResourceType, body: NewTag
) -> Tag:
    """Create a tag for a type of resource."""
    return tags.create_tag(db, caller, account_id, resource_type, **dict(body))


@router.get(_TAGS)
def read_tags(
    db: Db,
    caller: CurrentCaller,
    account_id: str,
    resource_type: ResourceType,
    paging: PageRequest,
    key: Word | None = None,
) -> PageReply[Tag]:
    """List the tags for a type of resource, or those with one key."""
    pattern = tags.tags_of_account(db, caller, account_id, resource_type, key)
    return PageReply.of(paging.run(db, pattern))


@router.get("/accounts/{account_id}/tags")
def tags_of_all_types(
    db: Db, caller: CurrentCaller, account_id: str, key: Word, paging: PageRequest
) -> PageReply[Tag]:
    """List the tags with one key, for all types of resources."""
    return PageReply.of(paging.run(db, tags.tags_of_all_types(db, caller, account_id, key)))


@router.get("/tags/{tag_id}")
def tag_by_id(db: Db, caller: CurrentCaller, tag_id: str) -> Tag:
    """Get a tag by its id alone. A tag created or renamed just now may not be found yet."""
    return tags.tag_by_id(db, caller, tag_id)


@router.get(f"{_TAGS}/tag")
def read_tag(db: Db, caller: CurrentCaller, name: Name) -> Tag:
    """Get a tag by its key and value."""
    return tags.read_tag(db, caller, name)


@router.patch(f"{_TAGS}/tag")
def change_tag(db: Db, caller: CurrentCaller, name: Name, body: TagChanges) -> Tag:
    """Change a tag's color or description."""
    return tags.change_tag(db, caller, name, color=body.color, description=body.description)


@router.put(f"{_TAGS}/tag/name")
def rename_tag(db: Db, caller: CurrentCaller, name: Name, body: NewName) -> Tag:
    """Rename a tag; it stays attached to its resources."""
    return tags.rename_tag(db, caller, name, tag_key=body.tag_key, tag_value=body.tag_value)


@router.delete(f"{_TAGS}/tag", status_code=204, response_class=Response)
def delete_tag(db: Db, caller: CurrentCaller, name: Name) -> None:
    """Detach a tag from all resources, and delete it."""
    tags.delete_tag(db, caller, name)


@router.get(f"{_TAGS}/tag/resources")
def resources_with_tag(
    db: Db, caller: CurrentCaller, name: Name, paging: PageRequest
) -> PageReply[TaggedResource]:
    """List the resources that carry a tag."""
    pattern = tags.resources_with_tag(db, caller, name)
    return PageReply.of(paging.run(db, pattern))


@router.put(f"{_TAGS}/tag/resources/{{resource_id}}")
def attach(db: Db, caller: CurrentCaller, name: Name, resource_id: Id) -> Tag:
    """Attach a tag to a resource."""
    return tags.attach(db, caller, name, resource_id)


@router.delete(f"{_TAGS}/tag/resources/{{resource_id}}")
def detach(db: Db, caller: CurrentCaller, name: Name, resource_id: Id) -> Tag:
    """Detach a tag from a resource."""
    return tags.detach(db, caller, name, resource_id)


@router.get("/accounts/{account_id}/resources/{resource_type}/{resource_id}/tags")
def tags_of_resource(
    db: Db,
    caller: CurrentCaller,
    account_id: str,
    resource_type: ResourceType,
    resource_id: Id,
    paging: PageRequest,
) -> PageReply[Tag]:
    """List the tags of a resource by key and value."""
    attached = tags.tags_of_resource(db, caller, account_id, resource_type, resource_id)
    return PageReply.of(
        sorted_page(attached, paging, f"tags of {resource_id}", lambda tag: (tag.tag_key, tag.tag_value))
    )
