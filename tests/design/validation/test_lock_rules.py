"""Rules for locks whose keys the design chooses: which are accepted, and what is wrong with the others."""

from typing import Annotated, Any

import pytest

from tablewright import Copy, Design, Entity, Index, Keys, Table, fields
from tablewright.checks.runner import check
from tablewright.errors import DesignError
from tests.design.definitions import define_entity

main = Table(
    "main",
    key=("PK", "SK"),
    indexes=[Index("GSI1", "GSI1PK", "GSI1SK")],
    ttl="expiresAt",
    discriminator="type",
)
OWNER = {"userId": "{id}"}
KEYS = Keys(primary=("THING#{account}#{id}", "THING"))


def thing(unique: fields.Unique, members: dict[str, Any] | None = None, **annotations: Any) -> type[Entity]:
    declared = {"account": str, "id": str, "email": Annotated[str, unique], **annotations}
    return define_entity(main, declared, **{"keys": KEYS, **(members or {})})


def chosen(*key: str, **options: Any) -> fields.Unique:
    return fields.Unique(key=key, **{"attributes": {**OWNER, "account": "{account}"}, **options})


def test_a_lock_that_works_has_a_layout() -> None:
    (lock,) = thing(chosen("EMAIL#{email:fold}", "UNIQUE", type="EmailUnique")).layout.locks
    assert (lock.type_name, dict(lock.owner)) == ("EmailUnique", {"userId": "id", "account": "account"})
    (scoped,) = thing(chosen("ACCOUNT#{account}", "EMAIL#{email}", attributes=OWNER)).layout.locks
    assert dict(scoped.owner) == {"userId": "id"}


def test_the_field_itself_may_be_optional() -> None:
    made = define_entity(
        main,
        {"account": str, "id": str, "email": Annotated[str | None, chosen("EMAIL#{email}", "UNIQUE")]},
        keys=KEYS,
        email=None,
    )
    assert len(made.layout.locks) == 1


@pytest.mark.parametrize(
    ("unique", "message"),
    [
        (
            chosen("EMAIL#{email}"),
            "gives 1 templates for the key of its lock, which has 2 key attributes: PK, SK",
        ),
        (
            chosen("EMAIL", "UNIQUE"),
            r'"EMAIL" / "UNIQUE", does not contain \{email\}: different values would have',
        ),
        (chosen("EMAIL#{email:shard(4)}", "UNIQUE"), r"does not contain \{email\}"),
        (chosen("EMAIL#{email}", "{mial}"), "has no field mial"),
        (chosen("EMAIL#{email}", "{nick}"), "contains nick, which may be None; make nick required"),
        (chosen("EMAIL#{email:%Y}", "UNIQUE"), "formats email, a str"),
        (
            chosen("EMAIL#{email}", "UNIQUE", attributes={}),
            r"lacks account, id of the primary key; add attributes=",
        ),
        (
            chosen("ACCOUNT#{account}", "{id}#{email}", attributes={}),
            "has a lock of its own; leave one of account, id",
        ),
        (chosen("THING#{email}#{id}", "THING"), "can be equal to its own key"),
        (chosen("COPY#{email}", "X"), "can be equal to its copy by_account"),
        (chosen("NICK#{email}", "UNIQUE"), "can be equal to the lock of name"),
        (chosen("_lock#{email}", "UNIQUE"), "keys that begin with _lock# are the library's own"),
        (chosen("EMAIL#{email}", "UNIQUE", type="THING"), "the type 'THING', which is the type of Thing"),
        (
            chosen("EMAIL#{email}", "UNIQUE", attributes={**OWNER, "GSI1PK": "{account}"}),
            "the attribute GSI1PK, which is a key attribute",
        ),
        (
            chosen("EMAIL#{email}", "UNIQUE", attributes={**OWNER, "_of": "{account}"}),
            "the attribute _of, which is reserved",
        ),
        (
            chosen("EMAIL#{email}", "UNIQUE", attributes={**OWNER, "account": "{account}", "x": "{token}"}),
            "the attribute x with token, which is a secret",
        ),
        (
            chosen("EMAIL#{email}", "UNIQUE", attributes={**OWNER, "account": "{account}", "x": "{tokn}"}),
            "has no field tokn",
        ),
    ],
)
def test_a_lock_that_cannot_work_is_rejected(unique: fields.Unique, message: str) -> None:
    name = Annotated[str, chosen("NICK#{name}", "UNIQUE")]
    token = Annotated[str, fields.Encrypted()]
    members = {"by_account": Copy(primary=("COPY#{account}", "{id}")), "nick": None}
    with pytest.raises(DesignError, match=message):
        thing(unique, members, name=name, nick=str | None, token=token)


def test_the_format_of_a_secret_has_no_effect_and_is_rejected() -> None:
    with pytest.raises(DesignError, match=r"the format in .* has no effect"):
        define_entity(
            main,
            {
                "account": str,
                "id": str,
                "email": Annotated[str, fields.Hashed(), chosen("EMAIL#{email:fold}", "UNIQUE")],
            },
            keys=KEYS,
        )


def test_options_that_do_not_go_together_are_rejected() -> None:
    with pytest.raises(DesignError, match=r"Unique\(type=\.\.\., attributes=\.\.\.\) needs a key"):
        fields.Unique(type="X")
    for options in ({"within": ("account",)}, {"normalise": str.lower}):
        with pytest.raises(
            DesignError, match="takes neither within nor normalise: write the fields into the key"
        ):
            fields.Unique(key=("EMAIL#{email}", "UNIQUE"), **options)


def test_a_lock_that_can_have_the_key_of_another_entity_is_found_by_check() -> None:
    user = thing(chosen("EMAIL#{email}", "UNIQUE", type="EmailUnique"))

    class Mail(Entity, table=main, type="MAIL"):
        address: str
        keys = Keys(primary=("EMAIL#{address}", "UNIQUE"))

    found = [finding for finding in check(Design("d", entities=[user, Mail])) if finding.code == "TW107"]
    assert [finding.severity for finding in found] == ["error"]
    assert "the lock of Thing.email" in found[0].why
    assert not [f for f in check(Design("d", entities=[user])) if f.code == "TW107"]


def test_the_type_of_a_lock_is_that_of_no_entity() -> None:
    user = thing(chosen("EMAIL#{email}", "UNIQUE", type="MAIL"))

    class Mail(Entity, table=main, type="MAIL"):
        address: str
        keys = Keys(primary=("MAIL#{address}", "MAIL"))

    with pytest.raises(DesignError, match="Thing and Mail both have the type 'MAIL'"):
        Design("d", entities=[user, Mail])
