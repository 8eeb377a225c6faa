"""Any text is bound or rejected with a ValidationError."""

from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from tablewright.dynamodb.expressions import ItemCondition
from tablewright.dynamodb.expressions.partiql import Exists, Select, bind
from tablewright.dynamodb.expressions.partiql.statement_tokens import EOF, tokenize
from tablewright.dynamodb.expressions.partiql.where_keys import KeyReader
from tablewright.errors import ValidationError

_PIECES = st.sampled_from(
    """
    SELECT INSERT INTO VALUE UPDATE SET REMOVE DELETE FROM WHERE ORDER BY ASC DESC RETURNING ALL OLD NEW MODIFIED
    AND OR NOT IN IS BETWEEN LIKE NULL MISSING true false EXISTS size attribute_exists attribute_type begins_with
    contains list_append if_not_exists set_add set_delete LIMIT GROUP AS AT ON CONFLICT DO NOTHING VALUES
    a b "c" t 'x' 1 -2 1.5e3 ? * ( ) [ ] { } << >> , . : ; = <> < <= > >= + - / % || @ `ion` 'unclosed "unclosed /* --
    """.split()
)
_FRAGMENTS = st.sampled_from(
    [
        "SELECT * FROM t WHERE",
        "UPDATE t SET a =",
        "INSERT INTO t VALUE {'a':",
        "DELETE FROM t WHERE",
        "EXISTS(SELECT * FROM t WHERE",
        "a = 1",
        "pk IN ['x', 'y']",
        "AND",
        "(a BETWEEN 1 AND 2)",
        "= true",
        "NOT attribute_exists(a)",
        "a IS NOT NULL",
        "RETURNING ALL NEW *",
    ]
)
_TEXTS = st.lists(_PIECES | _FRAGMENTS, max_size=25).map(" ".join) | st.text(max_size=60)


@given(text=_TEXTS)
def test_any_text_is_bound_or_rejected(text: str) -> None:
    with suppress(ValidationError):
        bound = bind(text)
        select = bound.select if isinstance(bound, Exists) else bound
        if isinstance(select, Select):
            select.projection()
            if select.where is not None:
                ItemCondition.of(select.where).matches({"a": {"N": "1"}})
                KeyReader("pk", "a").branches(select.where)


@given(text=_TEXTS)
def test_tokens_are_at_their_positions(text: str) -> None:
    with suppress(ValidationError):
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        *tokens, end = tokenize(text)
        assert end.kind == EOF
        for token in tokens:
            line = lines[token.span.line - 1]
            assert line[token.span.column - 1 : token.span.column].strip()
