"""Layout records: the parts of a design, and what a table tells of them."""

from typing import Annotated, Any

from tablewright import Copy, Design, Entity, Index, Keys, Sparse, Table, connect, embedded, fields
from tablewright.access.layout_records import (
    LayoutPart,
    layout_parts,
    layout_record,
    record_complete,
    record_tags,
)
from tablewright.access.procedures import run_sync

main = Table(
    "app", ("PK", "SK"), [Index("GSI1", "GSI1PK", "GSI1SK"), Index("by-city", "city")], tags={"team": "red"}
)


def defined(**members: Any) -> type[Entity]:
    keys = Keys(primary=("USER#{user_id}", "USER"), **members.pop("indexes", {}))
    annotations = {"user_id": str, "email": members.pop("email", str), "city": str}
    body = {"__annotations__": annotations, "keys": keys, "__module__": __name__, **members}
    return type(Entity)("User", (Entity,), body, table=main, type="USER")


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
