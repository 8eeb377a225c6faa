"""Item collections: one partition with its items as rows."""

from tablewright import Design, Entity, Index, Keys, Table
from tablewright.dynamodb.values.attributes import Item
from tablewright.generate.example_partitions import ItemRow, item_collections

main = Table(
    "main",
    key=("PK", "SK"),
    indexes=[Index("GSI1", "GSI1PK", projection=["name"]), Index("GSI2", "GSI2PK")],
)


class User(Entity, table=main, type="USER"):
    user_id: str
    name: str
    age: int
    keys = Keys(primary=("USER#{user_id}", "PROFILE"), GSI1="NAMES")


class Order(Entity, table=main, type="ORDER"):
    user_id: str
    order_id: str
    total: int
    keys = Keys(primary=("USER#{user_id}", "ORDER#{order_id}"))


DESIGN = Design("shop", entities=[User, Order])


def user(user_id: str, name: str) -> Item:
    return {
        "PK": {"S": f"USER#{user_id}"},
        "SK": {"S": "PROFILE"},
        "type": {"S": "USER"},
        "userId": {"S": user_id},
        "name": {"S": name},
        "age": {"N": "30"},
        "GSI1PK": {"S": "NAMES"},
    }


def order(user_id: str, order_id: str) -> Item:
    return {
        "PK": {"S": f"USER#{user_id}"},
        "SK": {"S": f"ORDER#{order_id}"},
        "type": {"S": "ORDER"},
        "userId": {"S": user_id},
        "orderId": {"S": order_id},
        "total": {"N": "7"},
    }


def test_the_partition_with_most_types_is_shown() -> None:
    items = [user("u1", "Ada"), user("u2", "Kim"), *(order("u2", f"o{place}") for place in (3, 1, 2))]
    table, names = item_collections(DESIGN, main, items)
    assert (table.place, table.partition_attribute, table.partition_key) == ("table", "PK", "USER#u2")
    assert table.rows == (
        ItemRow("ORDER#o1", "ORDER", (("total", "7"),)),
        ItemRow("ORDER#o2", "ORDER", (("total", "7"),)),
        ItemRow("PROFILE", "USER", (("name", "Kim"), ("age", "30"))),
    )
    assert table.remark == "1 more item in this partition."
    assert names.place == "GSI1"
    assert [row.attributes for row in names.rows] == [(("name", "Ada"),), (("name", "Kim"),)]


def test_locks_are_not_shown_and_copies_are_marked() -> None:
    copy = order("u1", "o1") | {"_of": {"M": {"PK": {"S": "x"}, "SK": {"S": "y"}}}}
    lock: Item = {"PK": {"S": "_lock#USER#name#Ada"}, "SK": {"S": "_lock"}, "_of": {"M": {}}}
    (table,) = item_collections(DESIGN, main, [lock, copy])
    assert [row.type for row in table.rows] == ["ORDER (copy)"]


def test_long_texts_are_cut() -> None:
    (table, _) = item_collections(DESIGN, main, [user("u1", "x" * 100)])
    assert dict(table.rows[0].attributes)["name"] == "x" * 35 + "…"


def test_without_items_there_is_nothing_to_show() -> None:
    assert item_collections(DESIGN, main, []) == ()


def test_fields_of_the_class_come_before_those_of_its_bases() -> None:
    class Timestamped(Entity):
        created_at: str = ""

    class Note(Timestamped, table=Table("notes", key="id")):
        id: str
        text: str

    item: Item = {"id": {"S": "n1"}, "createdAt": {"S": "2026"}, "text": {"S": "hello"}}
    (collection,) = item_collections(Design("notes", entities=[Note]), Note.layout.table, [item])
    assert collection.rows[0].attributes == (("text", "hello"), ("createdAt", "2026"))
