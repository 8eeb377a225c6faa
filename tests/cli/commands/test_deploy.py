"""`tablewright deploy`."""

from tablewright import connect
from tests.cli.things import Things


def test_tables_are_created(things: Things) -> None:
    assert things.run("deploy")[1].endswith("1 step done")
    assert things.run("deploy") == (0, "The tables match the design.")


def test_a_new_index_contains_the_existing_items(things: Things) -> None:
    things.run("deploy", design="without_index")
    import thing_design  # type: ignore[import-not-found]

    with connect(thing_design.without_index, "tablewright.db", environment="dev") as db:
        for name in ("a", "b"):
            db.put(thing_design.Before(thing_id=name, name=name, price="1"))
        invalid = {"PK": {"S": "THING#c"}, "SK": {"S": "THING"}, "type": {"S": "THING"}, "name": {"N": "1"}}
        db.connection.call("PutItem", {"TableName": "things-dev", "Item": invalid})
    code, output = things.run("deploy")
    assert code == 0
    assert "write for the items of things-dev that lack it: the key in index GSI1 of Thing" in output
    assert "warning: an item of things-dev is not complete, as it " in output
    with connect(thing_design.design, "tablewright.db", environment="dev") as db:
        found = db.connection.call("Scan", {"TableName": "things-dev", "IndexName": "GSI1"})["Items"]
    assert [item["GSI1SK"]["S"] for item in found] == ["a#a", "b#b"]


def test_a_destructive_step_needs_permission(things: Things) -> None:
    things.run("deploy")
    code, output = things.run("deploy", design="without_index")
    assert code == 2
    assert "destructive" in output
    assert things.run("deploy", "--allow-destructive", design="without_index")[0] == 0
