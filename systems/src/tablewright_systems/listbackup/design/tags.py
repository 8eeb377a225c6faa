"""Tags (F14). Each attachment to a resource is an item, with a copy under the resource.

So both directions are read consistently: the resources of a tag, and the tags of a resource.
"""

from typing import Annotated

from pydantic import Field

from tablewright import Copy, Entity, Find, Get, Index, Keys, Query, Table, fields
from tablewright_systems.listbackup.design.vocabulary import AWS_MANAGED_KEY, Id, ResourceType, new_uuid
from tablewright_systems.service import Timestamped

tags = Table(
    "${AWS::StackName}-tags",
    key=("accountId#resourceType", "tagKey#tagValue"),
    encryption_key=AWS_MANAGED_KEY,
    indexes=[
        Index("tagId-index", "tagId"),
        Index("accountId-tagKey-index", "accountId#resourceType", "tagKey"),
    ],
    discriminator="entityType",
)

Word = Annotated[str, Field(min_length=1, max_length=128, pattern=r"^[^#]+$")]
"""A key or a value of a tag; `#` is not allowed, because it separates them in keys."""
Color = Annotated[str, Field(pattern=r"^#[0-9a-fA-F]{6}$")]
Description = Annotated[str, Field(max_length=1000)]


class Tag(Timestamped, table=tags, type="TAG", schema_version=1):
    """A label for resources of one type in one account."""

    account_id: Id
    resource_type: ResourceType
    tag_id: Id = new_uuid()
    tag_key: Word
    tag_value: Word
    color: Color = "#808080"
    description: Description = ""
    created_by: Id
    resource_count: Annotated[int, fields.Counter()] = 0

    keys = Keys(primary=("{account_id}#{resource_type}", "{tag_key}#{tag_value}"))


class TaggedResource(Entity, table=tags, type="TAGGED_RESOURCE", schema_version=1):
    """The attachment of a tag to a resource."""

    account_id: Id
    resource_type: ResourceType
    tag_id: Annotated[Id, Field(alias="carries")]
    resource_id: Id
    attached_at: fields.Timestamp = fields.now()
    attached_by: Id

    keys = Keys(primary=("tagged#{account_id}#{resource_type}", "{tag_id}#{resource_id}"))
    with_resource = Copy(
        type="TAG_OF_RESOURCE",
        primary=("resource#{account_id}#{resource_type}#{resource_id}", "{tag_id}"),
    )


class TagsOfType(Query[Tag]):
    """Get the tags of an account for one type of resource."""

    account_id: str
    resource_type: ResourceType
    consistent = True


class TagsByKey(Query[Tag]):
    """Get the tags with one key."""

    account_id: str
    resource_type: ResourceType
    tag_key: Word
    index = "accountId-tagKey-index"


class TagOf(Get[Tag]):
    """Get one tag by its key and value."""

    account_id: str
    resource_type: ResourceType
    tag_key: Word
    tag_value: Word
    consistent = True


class TagById(Find[Tag]):
    """Get tag by ID."""

    tag_id: str
    index = "tagId-index"


class ResourcesWithTag(Query[TaggedResource]):
    """Get the resources that carry a tag."""

    account_id: str
    resource_type: ResourceType
    tag_id: str
    key = "accountId#resourceType = tagged#{account_id}#{resource_type} AND begins_with(tagKey#tagValue, {tag_id}#)"
    consistent = True


class TaggedResourcesOfType(Query[TaggedResource]):
    """Get all resources of one type that carry tags, tag by tag."""

    account_id: str
    resource_type: ResourceType
    key = "accountId#resourceType = tagged#{account_id}#{resource_type}"
    consistent = True


class TagsOfResource(Query[TaggedResource]):
    """Get the tags that a resource carries."""

    account_id: str
    resource_type: ResourceType
    resource_id: str
    key = "accountId#resourceType = resource#{account_id}#{resource_type}#{resource_id}"
    consistent = True


ENTITIES = (Tag, TaggedResource)
PATTERNS = (TagsOfType, TagsByKey, TagOf, TagById, ResourcesWithTag, TaggedResourcesOfType, TagsOfResource)
