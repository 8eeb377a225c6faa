"""Projections: the part of an item that a ProjectionExpression or AttributesToGet selects."""

from functools import lru_cache

from tablewright.dynamodb.expressions.document_paths import cover, require_disjoint, tree_of
from tablewright.dynamodb.expressions.nodes import Path
from tablewright.dynamodb.expressions.placeholders import Scope
from tablewright.dynamodb.expressions.update import parse_projection
from tablewright.dynamodb.values.attributes import Item

_KIND = "ProjectionExpression"


def projection(text: str, scope: Scope) -> "Projection":
    """The projection of `text` with one request's placeholders.

    >>> first = projection("tags[0], #n", Scope({"#n": "name"}))
    >>> first.of({"name": {"S": "x"}, "tags": {"L": [{"S": "a"}, {"S": "b"}]}, "rest": {"NULL": True}})
    {'tags': {'L': [{'S': 'a'}]}, 'name': {'S': 'x'}}
    """
    return _closed_projection(text) or _bound(text, scope)


@lru_cache(maxsize=1024)
def _closed_projection(text: str) -> "Projection | None":
    """The projection, if it needs no placeholders; else None."""
    is_open = any(path.has_placeholders for path in parse_projection(text))
    return None if is_open else _bound(text, Scope())


def _bound(text: str, scope: Scope) -> "Projection":
    paths = tuple([scope.resolve_path(path, _KIND) for path in parse_projection(text)])
    require_disjoint(paths, _KIND)
    return Projection(paths)


class Projection:
    """A selection of document paths."""

    __slots__ = ("_tree", "paths")

    def __init__(self, paths: tuple[Path, ...]) -> None:
        self.paths = paths
        self._tree = tree_of(paths)

    def __repr__(self) -> str:
        return f"Projection({', '.join(map(str, self.paths))})"

    def of(self, item: Item) -> Item:
        """The selected part of an item; paths that the item does not have are left out."""
        return cover(self._tree, item)

    @property
    def attributes(self) -> tuple[str, ...]:
        """The top-level attributes of its paths, in the order they appear."""
        return tuple(dict.fromkeys(path.attribute for path in self.paths))

    @property
    def nested_attributes(self) -> frozenset[str]:
        """The top-level attributes of its nested paths."""
        return frozenset(path.attribute for path in self.paths if len(path.parts) > 1)
