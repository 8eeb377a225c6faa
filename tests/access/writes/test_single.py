"""Single writes."""

from tablewright.access.writes.single import request
from tablewright.access.writes.values import Create
from tests.access.studio import Artist, Note, Studio


def test_request_returns_the_call_without_making_it(store: Studio) -> None:
    call = store.run_sync(request(store.context, Create(Note(note_id="1", text="t"))))
    assert call.operation == "PutItem"
    assert call.request["ConditionExpression"] == "(attribute_not_exists(#0)) OR (#1 BETWEEN :0 AND :1)"
    several = store.run_sync(request(store.context, Create(Artist(studio="s", artist_id="1", email="a@x"))))
    assert several.operation == "TransactWriteItems"
    assert store.table() == {}
