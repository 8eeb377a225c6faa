"""Proofs of tags."""

from tablewright_systems.listbackup.design.tags import (
    ResourcesWithTag,
    Tag,
    TagById,
    TagOf,
    TagsByKey,
    TagsOfResource,
    TagsOfType,
)
from tablewright_systems.listbackup.design.vocabulary import ResourceType
from tablewright_systems.listbackup.proofs.fixtures import api_key_source, new_owner
from tablewright_systems.listbackup.service import sources, tags
from tablewright_systems.service import Caller, Conflict, NotFound
from tablewright_systems.verification import ProofContext, Proofs, expect_error

PROOFS = Proofs("listbackup")


def _tag(context: ProofContext, caller: Caller, account_id: str, key: str, value: str) -> Tag:
    return tags.create_tag(
        context.db, caller, account_id, ResourceType.SOURCE, tag_key=key, tag_value=value, color="#ff0000"
    )


def name_of(tag: Tag) -> TagOf:
    """Return the key of a tag."""
    return TagOf(
        account_id=tag.account_id,
        resource_type=tag.resource_type,
        tag_key=tag.tag_key,
        tag_value=tag.tag_value,
    )


@PROOFS("A35")
def tags_of_type(context: ProofContext) -> None:
    """Get the tags of an account for a type of resource."""
    ada, account = new_owner(context.db)
    for value in ("production", "test"):
        _tag(context, ada, account.account_id, "env", value)
    with context.measured():
        listed = context.db.all(TagsOfType(account_id=account.account_id, resource_type=ResourceType.SOURCE))
    assert [tag.tag_value for tag in listed] == ["production", "test"]


@PROOFS("A36")
def tags_by_key(context: ProofContext) -> None:
    """Get the tags of one key, and not those of a key with the same prefix."""
    ada, account = new_owner(context.db)
    for key in ("env", "environment", "team"):
        _tag(context, ada, account.account_id, key, "a")
    pattern = TagsByKey(account_id=account.account_id, resource_type=ResourceType.SOURCE, tag_key="env")
    context.eventually(lambda: context.db.all(pattern))
    with context.measured():
        listed = context.db.all(pattern)
    assert [tag.tag_key for tag in listed] == ["env"]


@PROOFS("A37")
def tag_by_name(context: ProofContext) -> None:
    """Get one tag by key and value."""
    ada, account = new_owner(context.db)
    tag = _tag(context, ada, account.account_id, "env", "production")
    with context.measured():
        stored = context.db.run(name_of(tag))
    assert stored == tag


@PROOFS("A38")
def tag_by_id(context: ProofContext) -> None:
    """Get a tag by its id alone; only members of its account may read it."""
    ada, account = new_owner(context.db)
    eve, _ = new_owner(context.db)
    tag = _tag(context, ada, account.account_id, "env", "production")
    context.eventually(lambda: context.db.run(TagById(tag_id=tag.tag_id)))
    with context.measured():
        stored = tags.tag_by_id(context.db, ada, tag.tag_id)
    assert stored == tag
    with expect_error(NotFound):
        tags.tag_by_id(context.db, eve, tag.tag_id)


@PROOFS("A39")
def resources_with_tag(context: ProofContext) -> None:
    """Get the resources that carry a tag."""
    ada, account = new_owner(context.db)
    tag = _tag(context, ada, account.account_id, "env", "production")
    carriers = [api_key_source(context.db, ada, account.account_id).source_id for _ in range(3)]
    for source_id in carriers[:2]:
        tags.attach(context.db, ada, name_of(tag), source_id)
    pattern = ResourcesWithTag(
        account_id=account.account_id, resource_type=ResourceType.SOURCE, tag_id=tag.tag_id
    )
    with context.measured():
        attachments = context.db.all(pattern)
    assert {attachment.resource_id for attachment in attachments} == set(carriers[:2])


@PROOFS("A45")
def tags_of_resource(context: ProofContext) -> None:
    """Get the tags that one resource carries."""
    ada, account = new_owner(context.db)
    source = api_key_source(context.db, ada, account.account_id)
    made = [_tag(context, ada, account.account_id, "env", value) for value in ("a", "b", "c")]
    for tag in made[1:]:
        tags.attach(context.db, ada, name_of(tag), source.source_id)
    with context.measured():
        listed = tags.tags_of_resource(
            context.db, ada, account.account_id, ResourceType.SOURCE, source.source_id
        )
    assert [tag_of_source.tag_value for tag_of_source in listed] == ["b", "c"]


@PROOFS("F14")
def tagging(context: ProofContext) -> None:
    """Tags are unique, attached and detached with exact counts, renamed without losing resources, deleted."""
    db = context.db
    ada, account = new_owner(db)
    source = api_key_source(db, ada, account.account_id)
    tag = _tag(context, ada, account.account_id, "env", "production")
    with expect_error(Conflict, field="tagValue"):
        _tag(context, ada, account.account_id, "env", "production")
    with expect_error(NotFound):
        tags.attach(db, ada, name_of(tag), "no-such-source")
    with context.measured():
        attached = tags.attach(db, ada, name_of(tag), source.source_id)
    assert attached.resource_count == 1
    assert tags.attach(db, ada, name_of(tag), source.source_id).resource_count == 1
    renamed = tags.rename_tag(db, ada, name_of(tag), tag_key="env", tag_value="live")
    assert (renamed.tag_id, renamed.resource_count) == (tag.tag_id, 1)
    assert db.run(name_of(tag)) is None
    assert tags.detach(db, ada, name_of(renamed), source.source_id).resource_count == 0
    tags.attach(db, ada, name_of(renamed), source.source_id)
    sources.delete_source(db, ada, account.account_id, source.source_id)
    carried = TagsOfResource(
        account_id=account.account_id, resource_type=ResourceType.SOURCE, resource_id=source.source_id
    )
    assert len(db.all(carried)) == 0
    assert tags.read_tag(db, ada, name_of(renamed)).resource_count == 0
    tags.delete_tag(db, ada, name_of(renamed))
    assert db.run(name_of(renamed)) is None
