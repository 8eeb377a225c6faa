"""Rules for secret fields."""

from typing import Annotated, Any

import pytest

from tablewright import Copy, Index, Keys, Table, fields
from tablewright.errors import DesignError
from tests.design.definitions import define_entity

main = Table("main", key=("PK", "SK"), indexes=[Index("GSI1", "GSI1PK")])
KEYS = Keys(primary=("A#{a}", "A"))


@pytest.mark.parametrize(
    ("annotations", "members", "message"),
    [
        (
            {"b": Annotated[int, fields.Encrypted(), fields.Counter()]},
            {},
            r"Thing\.b is Encrypted and Counter, but a ciphertext can be neither looked up nor counted",
        ),
        (
            {"b": Annotated[str, fields.Encrypted()]},
            {"keys": Keys(primary=("A#{a}", "A"), GSI1="{b}")},
            r"Thing\.b is Encrypted and part of a key: keys are stored as plain text; use Hashed",
        ),
        (
            {"b": Annotated[str, fields.Unique(within=("c",))], "c": Annotated[str, fields.Encrypted()]},
            {},
            r"Thing\.b is Unique, and its lock would show c, which is Encrypted; use Hashed for c",
        ),
        (
            {"b": Annotated[str, fields.Encrypted(context=("c",))], "c": Annotated[str, fields.Hashed()]},
            {},
            r"Thing\.b is bound to c, which is a secret too; bind it to a field that is no secret",
        ),
        (
            {"b": Annotated[str, fields.Encrypted(context=("a",))]},
            {"twin": Copy(primary=("T#{a}", "T"), fields=("b",))},
            r"Thing\.b is in the copy twin without a, which it is bound to; remove b from Copy\(fields=",
        ),
        (
            {"b": Annotated[str, fields.Hashed(), fields.Unique(normalise=str.lower)]},
            {},
            r"Thing\.b is a secret, .* Unique\(normalise=\.\.\.\) has no effect; normalise it with a Pydantic",
        ),
    ],
)
def test_secrets_that_cannot_work_are_rejected(
    annotations: dict[str, Any], members: dict[str, Any], message: str
) -> None:
    with pytest.raises(DesignError, match=message):
        define_entity(main, {"a": str, **annotations}, **{"keys": KEYS, **members})


def test_a_hashed_field_may_be_part_of_a_key() -> None:
    keys = Keys(primary=("A#{a}", "A"), GSI1="{b}")
    entity = define_entity(main, {"a": str, "b": Annotated[str, fields.Hashed()]}, keys=keys)
    assert entity.layout.secrets == {"b"}
