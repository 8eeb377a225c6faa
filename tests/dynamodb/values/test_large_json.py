"""Reading JSON in pieces gives the same result as reading it at once, for all bytes."""

import contextlib
import gc
import re
from typing import Any

import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tablewright.dynamodb.values import large_json
from tablewright.dynamodb.values.large_json import MOST_MEMBERS, decode_in_pieces, free_in_pieces

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False)
    | st.text(max_size=4)
)
documents = st.recursive(
    scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=3), inner), max_leaves=20
)


@pytest.fixture(autouse=True, scope="module")
def tiny_pieces() -> Any:
    """Small pieces, so that short documents have many."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("_WHOLE_MEMBERS", "_LAST_MEMBER"):
            pattern: re.Pattern[bytes] = getattr(large_json, name)
            tiny = re.sub(rb"\{(0|1),(16|32)\}", rb"{\1,2}", pattern.pattern)
            assert tiny != pattern.pattern
            patch.setattr(large_json, name, re.compile(tiny, re.DOTALL))
        patch.setattr(large_json, "FEW", 0)
        yield


def outcome(decode: Any, text: bytes) -> Any:
    try:
        decoded = decode(text)
    except orjson.JSONDecodeError:
        return "rejected"
    # A request is always an object.
    return repr(decoded) if isinstance(decoded, dict) else "rejected"


@given(st.dictionaries(st.text(max_size=3), documents, max_size=5), st.booleans())
def test_a_document_in_pieces_equals_the_document_in_one_piece(
    document: dict[str, Any], spaced: bool
) -> None:
    with contextlib.suppress(orjson.JSONEncodeError):
        text = orjson.dumps(document, option=orjson.OPT_INDENT_2 if spaced else None)
        assert outcome(decode_in_pieces, text) == outcome(orjson.loads, text)


@given(st.lists(st.sampled_from([*'{}[],:"\\ \n\v1e-.aN\x00', '"a":', '"a"', "{}", "[]", "1,", "true", "é"])))
@example(list("{,}"))
@example(list('{"a":[1,]}'))
@example(list('{"a":[[[[[]]]],]}'))
@example(list('{"a":[,[[[[]]]]]}'))
@example(list('{"a":[[[[[]]]]1]}'))
@example(list('{"a":[1[[[[]]]]]}'))
@example(list('{"a":[[[[[]]]]}}'))
@example(list('{"a":[[[[[]]]]]'))
@example(list("{[[[[[]]]]]}"))
@example(list('{"a":[[[[[]]]]],"a":[[[[1]]]],"b":1,"a":2}'))
@example(list('{"a":1}{'))
@example(list('{"a":[1,2,3,4,5,6,7,8,"'))
def test_almost_valid_json_has_the_same_error_as_in_one_piece(parts: list[str]) -> None:
    text = "".join(parts).encode()
    for whole in (text, b'{"a":' + text + b"}", b'{"a":[1,' + text + b",2]}"):
        assert outcome(decode_in_pieces, whole) == outcome(orjson.loads, whole)


@given(st.dictionaries(st.text(max_size=3), documents, min_size=1, max_size=5), st.data())
def test_a_damaged_document_has_the_same_error_as_in_one_piece(
    document: dict[str, Any], data: st.DataObject
) -> None:
    with contextlib.suppress(orjson.JSONEncodeError):
        text = orjson.dumps(document)
        at = data.draw(st.integers(0, len(text)))
        damaged = text[:at] + data.draw(st.binary(max_size=2)) + text[at + data.draw(st.integers(0, 2)) :]
        assert outcome(decode_in_pieces, damaged) == outcome(orjson.loads, damaged)


def test_depth_is_limited() -> None:
    assert outcome(decode_in_pieces, b'{"a":' + b"[" * 500 + b"]" * 500 + b"}") != "rejected"
    assert outcome(decode_in_pieces, b'{"a":' * 200_000) == "rejected"


def test_the_number_of_members_is_limited() -> None:
    assert outcome(decode_in_pieces, b'{"a":[' + b"1," * (MOST_MEMBERS - 1) + b"1]}") != "rejected"
    assert outcome(decode_in_pieces, b'{"a":[' + b"1," * (MOST_MEMBERS + 64) + b"1]}") == "rejected"


class Marker:
    """Notes when it is freed."""

    def __init__(self, name: str, freed: list[str]) -> None:
        self._name = name
        self._freed = freed

    def __del__(self) -> None:
        self._freed.append(self._name)


def test_a_document_is_freed_level_by_level() -> None:
    """Freed at once, the members of the inner list would be freed before the last of the outer one."""
    freed: list[str] = []

    def document() -> Any:
        outer, inner, innermost = (Marker(name, freed) for name in ("outer", "inner", "innermost"))
        return {"first": [[innermost], inner], "last": outer}

    document()
    at_once, freed[:] = list(freed), []
    documents = [document()]
    free_in_pieces(documents)
    assert documents == []
    assert freed == ["outer", "inner", "innermost"] != at_once


def test_a_document_in_use_is_not_changed_by_freeing_it() -> None:
    used = {"a": [1, {"b": ["c"]}]}
    free_in_pieces([used, used["a"]])
    assert used == {"a": [1, {"b": ["c"]}]}


@pytest.fixture
def small_heap() -> None:
    """Keep the objects of other tests away from the collector: it would examine them ten times."""
    gc.collect()
    gc.freeze()


@pytest.mark.usefixtures("small_heap")
@pytest.mark.parametrize("end", [b"", b"]", b"}x"])
def test_an_invalid_document_leaves_nothing_to_the_garbage_collector(end: bytes) -> None:
    text = b'{"a": [[1, 2, 3, 4], [5, 6, 7, 8]]' + end
    with pytest.raises(orjson.JSONDecodeError):
        decode_in_pieces(text)

    def garbage() -> int:
        gc.collect()
        with contextlib.suppress(orjson.JSONDecodeError):
            decode_in_pieces(text)
        return gc.collect()

    gc.disable()
    try:
        # Other threads of the test process can add garbage of their own to a
        # single count; a document that leaves some adds to every count.
        assert min(garbage() for _ in range(5)) == 0
    finally:
        gc.enable()
