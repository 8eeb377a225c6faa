"""Sets of document paths: whether they overlap or conflict, and the part of an item that they select."""

from collections.abc import Iterable
from typing import TypeAlias

from tablewright.dynamodb.expressions.grammar import invalid
from tablewright.dynamodb.expressions.nodes import Path
from tablewright.dynamodb.values.attributes import AttributeValue, Item

Parts: TypeAlias = tuple[str | int, ...]
# A tree of map keys and list indexes; None is the end of a path.
Tree: TypeAlias = dict[str | int, "Tree | None"]


def require_disjoint(paths: Iterable[Path], kind: str) -> None:
    """Reject paths of which one contains another (overlap) or needs a list where another needs a map (conflict).

    Any overlap is reported before any conflict, as AWS does.
    """
    conflict = None
    whole: dict[Parts, Path] = {}
    through: dict[Parts, Path] = {}
    for path in paths:
        parts = path.parts
        if other := whole.get(parts) or through.get(parts):
            raise _clash("overlap", other, path, kind)
        for depth in range(1, len(parts)):
            if other := whole.get(parts[:depth]):
                raise _clash("overlap", other, path, kind)
            other = through.setdefault(parts[:depth], path)
            if conflict is None and isinstance(other.parts[depth], int) != isinstance(parts[depth], int):
                conflict = _clash("conflict", other, path, kind)
        whole[parts] = path
    if conflict is not None:
        raise conflict


def _clash(verb: str, one: Path, two: Path, kind: str) -> Exception:
    return invalid(
        kind,
        f"Two document paths {verb} with each other; must remove or rewrite one of these paths; "
        f"path one: {one}, path two: {two}",
    )


def tree_of(paths: Iterable[Path]) -> Tree:
    """Disjoint paths as one tree.

    >>> tree_of([Path(("a", "b")), Path(("a", "c")), Path(("d",))])
    {'a': {'b': None, 'c': None}, 'd': None}
    """
    root: Tree = {}
    for path in paths:
        *parents, last = path.parts
        branch = root
        for part in parents:
            deeper = branch.setdefault(part, {})
            assert deeper is not None
            branch = deeper
        branch[last] = None
    return root


def cover(tree: Tree, item: Item) -> Item:
    """The part of an item that a tree of paths selects; selected list elements keep their order, without gaps.

    >>> cover({"a": {2: None, 0: None}}, {"a": {"L": [{"N": "0"}, {"N": "1"}, {"N": "2"}]}})
    {'a': {'L': [{'N': '0'}, {'N': '2'}]}}
    """
    covered = {}
    for name, branch in tree.items():
        value = item.get(name)  # type: ignore[arg-type]
        if value is not None and (part := _covered(branch, value)) is not None:
            covered[str(name)] = part
    return covered


def _covered(branch: Tree | None, value: AttributeValue) -> AttributeValue | None:
    if branch is None:
        return value
    if isinstance(next(iter(branch)), str):
        members = cover(branch, value["M"]) if "M" in value else None
        return {"M": members} if members else None
    elements = value.get("L")
    if elements is None:
        return None
    indexes = sorted(index for index in branch if isinstance(index, int) and index < len(elements))
    parts = [part for index in indexes if (part := _covered(branch[index], elements[index])) is not None]
    return {"L": parts} if parts else None
