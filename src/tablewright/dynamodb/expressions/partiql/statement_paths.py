"""Document paths as statements write them: `a.b[0]."c d"`."""

from tablewright.dynamodb.expressions.nodes import Path
from tablewright.dynamodb.expressions.partiql.statement_nodes import Access, Literal, Name, Node, Step
from tablewright.errors import ValidationError

MAX_INDEX = 2**31 - 1


def path_of(node: Node) -> Path | None:
    """The document path of a node; None when it is no path.

    >>> from tablewright.dynamodb.expressions.partiql.statement_tokens import Span
    >>> print(path_of(Name("a", Span(1, 1, 1))))
    [a]
    """
    match node:
        case Name(text):
            return Path((_require_content(text),))
        case Access(Name(text), steps):
            return Path((_require_content(text), *map(_part, steps)))
        case Access():
            raise ValidationError("Unexpected path component")
        case _:
            return None


def column_name(path: Path) -> str:
    """The column name of a path in a select list: its last name, with the indexes after it.

    >>> column_name(Path(("m", "k", 0)))
    'k[0]'
    """
    last = max(at for at, part in enumerate(path.parts) if isinstance(part, str))
    return str(path.parts[last]) + "".join(f"[{index}]" for index in path.parts[last + 1 :])


def _part(step: Step) -> str | int:
    match step.content:
        case None if step.bracketed:
            raise ValidationError("Wildcard path component like a[*].b are not supported")
        case None:
            raise ValidationError("Unpivot path component like a.*.b are not supported")
        case Name(text) if not step.bracketed:
            return _require_content(text)
        case Literal("S", text):
            return _require_content(text)
        case Literal("N", numeral, span) if numeral.lstrip("-").isdigit():
            if numeral.startswith("-") or len(numeral) > len(str(MAX_INDEX)) or int(numeral) > MAX_INDEX:
                raise ValidationError(
                    f"List index is not within the allowable range; index: [{numeral}] at {span}"
                )
            return int(numeral)
        case _:
            raise ValidationError(f"Unexpected path component at {step.span}")


def _require_content(name: str) -> str:
    if not name:
        raise ValidationError("Path component cannot be an empty string")
    return name
