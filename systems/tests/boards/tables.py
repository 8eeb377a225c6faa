"""What the tables of Boards hold."""

from tablewright import Repository


def item_counts(db: Repository) -> dict[str, int]:
    """Return the number of items in each table: entities, claims and locks."""
    return {
        table.name: db.connection.call("Scan", {"TableName": table.name, "ConsistentRead": True})["Count"]
        for table in db.design.tables
    }
