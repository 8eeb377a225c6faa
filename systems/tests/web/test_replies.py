"""Replies that several endpoints send."""

from tablewright_systems.web import PageReply

from tablewright import reads


def test_page_with_its_cursor() -> None:
    page = reads.Page((1, 2), "next")
    assert PageReply[int].of(page).model_dump() == {"items": [1, 2], "cursor": "next"}
    assert PageReply[str].map(page, str).items == ["1", "2"]


def test_last_page_has_a_null_cursor_and_the_schema_requires_it() -> None:
    assert PageReply[int].of(reads.Page(())).model_dump() == {"items": [], "cursor": None}
    assert PageReply[int].model_json_schema()["required"] == ["items", "cursor"]
