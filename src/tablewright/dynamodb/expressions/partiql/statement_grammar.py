"""The grammar of PartiQL's statements.

    statement = "SELECT" columns "FROM" source ["WHERE" expression] ["ORDER" "BY" keys]
              | "INSERT" "INTO" path "VALUE" expression
              | "UPDATE" path change+ ["WHERE" expression] [returning]
              | "FROM" source ["WHERE" expression] change+ [returning]
              | "DELETE" "FROM" path ["WHERE" expression] [returning]
    change    = "SET" path "=" expression ("," ...)* | "REMOVE" path

Syntax of PartiQL that DynamoDB does not support (GROUP BY, LIMIT, joins, aliases) is parsed too, for AWS's messages.
"""

from functools import lru_cache

from tablewright.dynamodb.expressions.partiql.expression_grammar import SELECT_PRECEDENCE, ExpressionReader
from tablewright.dynamodb.expressions.partiql.statement_nodes import (
    Collection,
    ColumnNode,
    DeleteNode,
    InsertNode,
    Missing,
    Node,
    OrderingNode,
    RemoveNode,
    Returning,
    SelectNode,
    SetNode,
    Source,
    UpdateNode,
)
from tablewright.dynamodb.expressions.partiql.statement_tokens import (
    EOF,
    IDENTIFIER,
    QUOTED,
    TextSpan,
    malformed,
)

_JOINS = ("join", "inner", "left", "right", "full", "outer", "cross")
_CHANGES = ("set", "remove", "insert_into")
_NOT_COLUMNS = (*_CHANGES, "update", "delete", "select", "from", "where")


@lru_cache(maxsize=4096)
def parse(text: str) -> tuple[Node, int]:
    """The syntax of a statement, and the number of its parameters.

    >>> node, parameters = parse("DELETE FROM t WHERE id = ?")
    >>> type(node).__name__, parameters
    ('DeleteNode', 1)
    """
    reader = _StatementReader(text)
    node = reader.expression()
    if reader.accept("SEMICOLON"):
        if not reader.at(EOF):
            raise malformed("Unexpected token after semicolon. (Only one query is allowed.)")
    elif not reader.at(EOF):
        raise malformed("Unexpected token after expression")
    return node, reader.parameters


class _StatementReader(ExpressionReader):
    def keyword_term(self) -> Node:
        match self.token.text:
            case "select":
                return self._select()
            case "update":
                return self._update()
            case "delete":
                return self._delete()
            case "from":
                return self._from()
            case "insert_into":
                return self._insert(self.step().span)
            case "set" | "remove":
                span = self.token.span
                return UpdateNode(Source(Missing(span)), self._changes(), None, (), span)
            case "values":
                return self._values()
            case _:
                return super().keyword_term()

    def _select(self) -> SelectNode:
        span = self.step().span
        unsupported: tuple[str, TextSpan] | None = None
        if self.at_word("distinct"):
            unsupported = ("DISTINCT", self.step().span)
        elif self.at_word("all"):
            self.position += 1
        if self.at_word("value"):
            unsupported = ("VALUE", self.step().span)
        columns = self.separated(self._column)
        if len(columns) > 1 and any(column.node is None for column in columns):
            raise malformed(
                "Other expressions may not be present in the select list when '*' is used without dot notation."
            )
        if not self.accept_word("from"):
            raise malformed("Expected FROM after SELECT list")
        source = self._source(SELECT_PRECEDENCE)
        where = self._where(SELECT_PRECEDENCE)
        order = self._order()
        unsupported = unsupported or self._unsupported_clauses()
        return SelectNode(columns, source, where, order, unsupported, span)

    def _column(self) -> ColumnNode:
        token = self.token
        if self.accept("STAR"):
            return ColumnNode(None, False, token.span)
        if token.keyword in _NOT_COLUMNS:
            raise malformed(
                f"Expected identifier or an expression but found unexpected keyword '{token.text}' in a select list."
            )
        node = self.expression()
        return ColumnNode(node, self._alias(), token.span)

    def _source(self, precedence: int = -1) -> Source:
        node = self.expression(precedence)
        aliased = self._alias()
        joined = self.at("COMMA") or self.at_word(*_JOINS)
        while joined and not self.at_word("where", *_CHANGES) and not self.at(EOF):
            self.position += 1
        return Source(node, aliased, joined)

    def _alias(self) -> bool:
        """Consume an alias, if there is one: `AS name`, a bare name, `AT name`, `BY name`."""
        start = self.position
        if self.at(IDENTIFIER, QUOTED):
            self.position += 1
        for kind in ("AS", "AT", "BY"):
            if self.accept(kind):
                if not self.at(IDENTIFIER, QUOTED):
                    raise malformed(f"Expected identifier for {kind}-alias")
                self.position += 1
        return self.position > start

    def _where(self, precedence: int = -1) -> Node | None:
        return self.expression(precedence) if self.accept_word("where") else None

    def _order(self) -> tuple[OrderingNode, ...]:
        if not self.accept_word("order"):
            return ()
        self.expect("BY")
        return self.separated(self._ordering)

    def _ordering(self) -> OrderingNode:
        node = self.expression()
        descending = self.accept("DESC")
        if not descending:
            self.accept("ASC")
        return OrderingNode(node, descending)

    def _unsupported_clauses(self) -> tuple[str, TextSpan] | None:
        clauses = []
        for word in ("group", "having", "limit", "offset"):
            if not self.accept_word(word):
                continue
            if word == "group":
                self.accept_word("partial")
                self.expect("BY")
            clauses.append(("GROUP BY" if word == "group" else word.upper(), self.token.span))
            self.separated(self.expression)
        return clauses[0] if clauses else None

    def _change(self) -> tuple[SetNode | RemoveNode | InsertNode, ...]:
        word = self.step()
        if word.text == "set":
            return self.separated(self._assignment)
        if word.text == "remove":
            return (RemoveNode(self.simple_path()),)
        return (self._insert(word.span),)

    def _assignment(self) -> SetNode:
        path = self.simple_path()
        if not self.accept_word("="):
            raise malformed("Expected '='")
        return SetNode(path, self.expression())

    def _insert(self, span: TextSpan) -> InsertNode:
        target = Source(self.simple_path())
        if not self.accept_word("value"):
            return InsertNode(target, self.expression(), False, False, False, (), span)
        value = self.expression()
        positioned = self.accept("AT")
        if positioned:
            self.expression()
        return InsertNode(target, value, True, positioned, self._on_conflict(), self._returning(), span)

    def _values(self) -> Collection:
        span = self.step().span
        return Collection("Bag", self.separated(self._row), span)

    def _row(self) -> Node:
        opening = self.token
        if not self.accept("LEFT_PAREN"):
            raise malformed("Expected LEFT_PAREN for row value constructor")
        members = self.separated(self.expression)
        self.expect("RIGHT_PAREN")
        return Collection("List", members, opening.span)

    def _on_conflict(self) -> bool:
        if not self.accept_word("on_conflict"):
            return False
        if not self.accept_word("where"):
            raise malformed("invalid ON CONFLICT syntax")
        self.expression()
        if not self.accept_word("do_nothing"):
            raise malformed("invalid ON CONFLICT syntax")
        return True

    def _changes(self) -> tuple[SetNode | RemoveNode | InsertNode, ...]:
        changes: list[SetNode | RemoveNode | InsertNode] = []
        while self.at_word(*_CHANGES):
            changes.extend(self._change())
        if not changes:
            raise malformed("Expected data manipulation")
        return tuple(changes)

    def _update(self) -> UpdateNode:
        span = self.step().span
        source = Source(self.simple_path(), self._alias())
        changes = self._changes()
        return UpdateNode(source, changes, self._where(), self._returning(), span)

    def _from(self) -> UpdateNode:
        span = self.step().span
        source = self._source()
        where = self._where()
        changes = self._changes()
        return UpdateNode(source, changes, where, self._returning(), span)

    def _delete(self) -> DeleteNode:
        span = self.step().span
        if not self.accept_word("from"):
            raise malformed("Expected FROM after DELETE")
        source = Source(self.simple_path(), self._alias())
        return DeleteNode(source, self._where(), self._returning(), span)

    def _returning(self) -> tuple[Returning, ...]:
        return self.separated(self._returned) if self.accept_word("returning") else ()

    def _returned(self) -> Returning:
        if not self.at_word("modified_old", "modified_new", "all_old", "all_new"):
            raise malformed("Expected ( MODIFIED | ALL ) ( NEW | OLD ) in each returning element.")
        mapping = self.step().text
        if self.accept("STAR"):
            return Returning(mapping, True)
        self.expression()
        return Returning(mapping, False)
