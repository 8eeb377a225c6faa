"""Layout records: the parts of a design, and what a table tells of them."""

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any

import pytest

from tablewright import Copy, Design, Entity, Index, Keys, Sparse, Table, connect, embedded, errors, fields
from tablewright.access.layout_records import (
    PREFIX,
    LayoutPart,
    layout_parts,
    layout_record,
    record_complete,
    record_tags,
)
from tablewright.access.procedures import run_sync
from tablewright.access.repository import Repository
from tablewright.lifecycle.deploy.deployment import deploy, fill_index, plan_of
from tablewright.lifecycle.deploy.table_state import current_state
from tablewright.lifecycle.integrity import fsck

main = Table(
    "app", ("PK", "SK"), [Index("GSI1", "GSI1PK", "GSI1SK"), Index("by-city", "city")], tags={"team": "red"}
)


def defined(**members: Any) -> type[Entity]:
    keys = Keys(primary=("USER#{user_id}", "USER"), **members.pop("indexes", {}))
    annotations = {"user_id": str, "email": members.pop("email", str), "city": str}
    body = {"__annotations__": annotations, "keys": keys, "__module__": __name__, **members}
    metaclass: Any = type(Entity)
    entity: type[Entity] = metaclass("User", (Entity,), body, table=main, type="USER")
    return entity


def parts(entity: type[Entity]) -> list[LayoutPart]:
    return layout_parts(Design("app", entities=[entity]), main)


def test_an_index_of_fields_needs_nothing() -> None:
    assert parts(defined()) == []


def test_a_part_changes_with_what_its_items_are_made_by() -> None:
    classes = [
        defined(indexes={"GSI1": ("USERS", "{email}")}),
        defined(indexes={"GSI1": ("ALL", "{email}")}),
        defined(indexes={"GSI1": Sparse("USERS", "{email}", when="city")}),
        defined(email=Annotated[str, fields.Unique()]),
        defined(email=Annotated[str, fields.Unique(within=("city",))]),
        defined(email=Annotated[str, fields.Unique(normalise=fields.fold)]),
        defined(listed=Copy(primary=("LISTED", "{user_id}"))),
        defined(listed=Copy(primary=("LISTED", "{user_id}"), fields=("city",))),
    ]
    digests = [part.digest for entity in classes for part in parts(entity)]
    assert len(set(digests)) == len(digests) == len(classes)
    assert [part.digest for entity in classes for part in parts(entity)] == digests


def test_a_created_table_has_its_record_beside_its_own_tags() -> None:
    design = Design("app", entities=[defined(email=Annotated[str, fields.Unique()])])
    with embedded() as store:
        connect(design, store)
        record = run_sync(layout_record(design, main, "app"), store.call)
        assert (record.missing, record.has_left, record.tags) == ((), False, record.desired)
        tags = store.call("ListTagsOfResource", {"ResourceArn": record.arn})["Tags"]
        assert {"Key": "team", "Value": "red"} in tags


def test_a_record_gets_shorter_and_is_made_for_all_classes_only() -> None:
    entity = defined(email=Annotated[str, fields.Unique()])
    design = Design("app", entities=[entity])
    with embedded() as store:
        store.call("CreateTable", main.definition(None))
        run_sync(record_complete(design, main, "app", [entity]), store.call)
        record = run_sync(layout_record(design, main, "app"), store.call)
        assert record.tags is None
        many = record_tags(design, [LayoutPart(entity, "lock", str(number), "") for number in range(60)])
        for operation, request in record.requests(many):
            store.call(operation, request)
        run_sync(record_complete(design, main, "app"), store.call)
        assert run_sync(layout_record(design, main, "app"), store.call).tags == record.desired
        run_sync(record_complete(design, main, "app", [], without=[entity]), store.call)
        assert len(run_sync(layout_record(design, main, "app"), store.call).missing) == 1


class WithoutTags:
    """A connection as of a role or an endpoint that lacks operations on tags."""

    def __init__(self, refused: set[str], error: errors.ServiceError) -> None:
        self.database, self.refused, self.error = embedded(), refused, error

    def call(self, operation: str, request: dict[str, Any]) -> Any:
        tagged = operation == "CreateTable" and "TagResource" in self.refused and "Tags" in request
        if tagged or operation in self.refused:
            raise self.error
        return self.database.call(operation, request)

    def close(self) -> None:
        self.database.close()


DENIED = errors.AccessDenied("User: x is not authorized to perform: dynamodb:TagResource")
UNKNOWN = errors.UnknownOperation("Tagging is not currently supported in DynamoDB Local.")
plain = Table("plain", ("PK", "SK"))


def grown(unique: bool) -> Design:
    class User(Entity, table=plain, type="USER"):
        user_id: str
        email: Annotated[str, fields.Unique()] if unique else str  # type: ignore[valid-type]
        keys = Keys(primary=("USER#{user_id}", "USER"))

    return Design("app", entities=[User])


def a_user(design: Design, number: str) -> Any:
    made: Any = design.entities[0]
    return made(user_id=number, email="a@b.c")


@pytest.fixture(params=[DENIED, UNKNOWN, errors.ValidationError("no tags")], ids=lambda error: error.code)
def untagged(request: pytest.FixtureRequest) -> Iterator[WithoutTags]:
    store = WithoutTags({"TagResource", "UntagResource", "ListTagsOfResource"}, request.param)
    yield store
    store.close()


def test_without_tags_nothing_is_known_and_nothing_is_refused(untagged: WithoutTags) -> None:
    old, new = grown(unique=False), grown(unique=True)
    connect(old, untagged, create=True).create(a_user(old, "1"))
    db = connect(new, untagged, create=True)
    assert db.create(a_user(new, "2")).user_id == "2"
    plan = run_sync(plan_of(new, db.context), untagged.call)
    assert plan.steps == ()


def test_a_deployment_without_tags_creates_the_table(untagged: WithoutTags) -> None:
    design = grown(unique=True)
    db = connect(design, untagged, create=False)
    deploy_all(db)
    deploy_all(db)
    arn = untagged.database.call("DescribeTable", {"TableName": "plain"})["Table"]["TableArn"]
    assert untagged.database.call("ListTagsOfResource", {"ResourceArn": arn})["Tags"] == []
    db.create(a_user(design, "1"))
    assert fsck.check(db, repair=True).findings == []


def deploy_all(db: Repository) -> None:
    plan = run_sync(plan_of(db.design, db.context), db.connection.call)
    fill = partial(fill_index, db.design, db.context)
    run_sync(deploy(plan, fill, lambda step: None, lambda step, reason: None), db.connection.call)


def test_a_record_that_may_be_read_but_not_written_still_refuses() -> None:
    old, new = grown(unique=False), grown(unique=True)
    store = WithoutTags(set(), DENIED)
    connect(old, store, create=True).create(a_user(old, "1"))
    store.refused = {"TagResource", "UntagResource"}
    with pytest.raises(errors.LayoutIncomplete):
        connect(new, store, create=True).create(a_user(new, "2"))
    assert connect(old, store, create=True).create(a_user(old, "2")).user_id == "2"
    store.close()


def test_another_refusal_of_a_table_is_passed_on() -> None:
    store = WithoutTags({"CreateTable"}, DENIED)
    with pytest.raises(errors.AccessDenied):
        connect(grown(unique=True), store, create=True)
    store.close()


def test_tags_of_records_are_no_setting() -> None:
    design = Design("app", entities=[defined(email=Annotated[str, fields.Unique()])])
    with embedded() as store:
        connect(design, store)
        state = run_sync(current_state("app", None), store.call)
        assert state is not None
        assert state.tags == (("team", "red"),)
        arn = store.call("DescribeTable", {"TableName": "app"})["Table"]["TableArn"]
        tags = store.call("ListTagsOfResource", {"ResourceArn": arn})["Tags"]
        assert any(tag["Key"].startswith(PREFIX) for tag in tags)
