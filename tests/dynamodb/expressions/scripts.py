"""Case files of expressions: lines that set values, and `expression -> reply` lines that use them.

    item {"a": 1}               the item, in plain notation (see `plain`)
    values {":one": 1}          ExpressionAttributeValues
    names {"#a": "a"}           ExpressionAttributeNames
    key h | r:N                 a key schema: before the bar HASH, behind it RANGE attributes; types default to S
    operator OR                 ConditionalOperator

    a = :one -> true
    a > :two -> ! Invalid ConditionExpression: ...

A scene line stays in force until another of its kind. A reply that begins with `!` is an error.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from tablewright.dynamodb.expressions import Scope
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import ValidationError
from tests.dynamodb.expressions.plain import item
from tests.golden import CASES

ARROW = " -> "


@dataclass(slots=True)
class Scene:
    """The item, placeholders and key schema that an expression is evaluated with."""

    item: Item = field(default_factory=dict)
    values: dict[str, Any] | None = None
    names: dict[str, str] | None = None
    key: str = ""
    operator: str | None = None

    def set(self, line: str) -> bool:
        """Read a line that sets a value of the scene; return False for other lines."""
        word, _, rest = line.partition(" ")
        match word:
            case "item" if rest.startswith("{"):
                self.item = item(orjson.loads(rest))
            case "values" if rest.startswith("{"):
                self.values = item(orjson.loads(rest)) or None
            case "names" if rest.startswith("{"):
                self.names = orjson.loads(rest) or None
            case "key":
                self.key = rest
            case "operator":
                self.operator = rest or None
            case _:
                return False
        return True

    def scope(self) -> Scope:
        """The scene's placeholders, all unused."""
        return Scope(self.names, self.values)


Player = Callable[[str, Scene], str]


def play(name: str, player: Player, *, update: bool) -> None:
    """Run every case of a file and compare the replies, or write them into the file."""
    path = CASES / "expressions" / name
    played = list(_played(path, player))
    if update:
        path.write_text("".join(f"{line}\n" for line, _ in played), encoding="utf-8")
        return
    wrong = [f"{path.name}:{number}: {line}" for number, (line, right) in enumerate(played, 1) if not right]
    assert not wrong, "current replies:\n" + "\n".join(wrong)


def _played(path: Path, player: Player) -> Iterator[tuple[str, bool]]:
    scene = Scene()
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#") or scene.set(line):
            yield line, True
            continue
        expression, _, expected = line.partition(ARROW)
        reply = _reply(player, expression, scene)
        yield f"{expression}{ARROW}{reply}", reply == expected


def _reply(player: Player, expression: str, scene: Scene) -> str:
    try:
        return player(expression, scene)
    except ValidationError as error:
        return f"! {error.message}"
