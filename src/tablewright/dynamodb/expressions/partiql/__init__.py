"""DynamoDB's PartiQL: the text of a statement becomes a frozen value.

    text -> tokens -> syntax -> statement
            (lexer)   (grammar,  (literals, conditions, updates: bound to one request's parameters)
                       cached)

A statement holds the same conditions, updates and projections that expressions become, so there is one evaluator.
What a WHERE clause says about keys is read by `keys`, when the table is known.
"""

from tablewright.dynamodb.expressions.partiql.binding import bind
from tablewright.dynamodb.expressions.partiql.statement_grammar import parse
from tablewright.dynamodb.expressions.partiql.statements import (
    DeleteStatement,
    Exists,
    Insert,
    Select,
    Statement,
    UpdateStatement,
)

__all__ = ["DeleteStatement", "Exists", "Insert", "Select", "Statement", "UpdateStatement", "bind", "parse"]
