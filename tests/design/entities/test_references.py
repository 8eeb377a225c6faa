"""References between entities, and how what an entity owns is listed."""

from typing import Annotated, Any

import pytest
from pydantic import BaseModel

from tablewright import Design, Entity, Index, Keys, Sparse, Table, fields
from tablewright.design.entities.references import DeclaredReference, Ownership
from tablewright.errors import DesignError
from tests.design.definitions import define_entity

main = Table("app", key=("PK", "SK"), indexes=[Index("GSI1", "GSI1PK", "GSI1SK")])


class User(Entity, table=main, type="USER"):
    user_id: str
    email: Annotated[str, fields.Unique()]
    handle: Annotated[str, fields.Unique(within=("country",))]
    country: str
    nickname: str = ""
    level: int = 0
    keys = Keys(primary=("USER#{user_id}", "USER"))


class Task(Entity, table=main, type="TASK"):
    board_id: str
    task_id: str
    keys = Keys(primary=("BOARD#{board_id}", "TASK#{task_id}"))


class Settings(Entity, table=main, type="SETTINGS"):
    theme: str
    keys = Keys(primary=("SETTINGS", "SETTINGS"))


class Timestamped(Entity):
    created_at: fields.Timestamp = fields.now()


OF_THING = Keys(primary=("THING#{thing_id}", "THING"))
OF_USER = Keys(primary=("USER#{owner_id}", "THING#{thing_id}"))


def thing(annotations: dict[str, Any], **members: Any) -> type[Entity]:
    return define_entity(main, {"thing_id": str, **annotations}, **{"keys": OF_THING, **members})


def reference(annotations: dict[str, Any], *others: type[Entity]) -> DeclaredReference:
    (found,) = Design("app", entities=[thing(annotations), User, Task, *others]).references
    return found


def refused(annotations: dict[str, Any], **members: Any) -> str:
    with pytest.raises(DesignError) as caught:
        Design("app", entities=[thing(annotations, **members), User, Task, Settings])
    return str(caught.value)


def owned(annotations: dict[str, Any], **members: Any) -> Ownership:
    made = thing(annotations, **members)
    design = Design("app", entities=[User, Task, made])
    (found,) = (*design.owned_by(User), *design.owned_by(Task))
    return found


def test_a_reference_to_a_key_of_one_field() -> None:
    found = reference({"owner_id": Annotated[str, fields.References(User)]})
    assert (found.name, found.target, found.sources) == ("Thing.owner_id", User, {"user_id": "owner_id"})
    assert (found.many, found.is_owned, found.lock, found.problem) == (False, False, None, "")
    assert list(found.targets({"owner_id": "u1"})) == [{"user_id": "u1"}]
    assert list(found.targets({"owner_id": None})) == []


def test_many_references() -> None:
    found = reference({"member_ids": Annotated[list[str] | None, fields.References(User)]})
    assert found.many
    assert list(found.targets({"member_ids": ["u1", "u2"]})) == [{"user_id": "u1"}, {"user_id": "u2"}]
    assert list(found.targets({"member_ids": None})) == []


def test_the_target_may_be_named_by_text() -> None:
    assert reference({"owner_id": Annotated[str, fields.References("User")]}).target is User
    parent = thing({"parent_id": Annotated[str | None, fields.References("Thing")]})
    (found,) = Design("app", entities=[parent]).references
    assert (found.target, found.sources) == (parent, {"thing_id": "parent_id"})


def test_a_key_of_several_fields() -> None:
    found = reference({"board_id": str, "task_id": Annotated[str, fields.References(Task)]})
    assert found.sources == {"board_id": "board_id", "task_id": "task_id"}
    found = reference({"board_id": str, "duplicate_of": Annotated[str, fields.References(Task)]})
    assert found.sources == {"board_id": "board_id", "task_id": "duplicate_of"}
    elsewhere = fields.References(Task, within={"board_id": "home_id"})
    found = reference({"home_id": str, "duplicate_of": Annotated[str | None, elsewhere]})
    assert found.sources == {"board_id": "home_id", "task_id": "duplicate_of"}
    assert list(found.targets({"home_id": "b1", "duplicate_of": "t1"})) == [
        {"board_id": "b1", "task_id": "t1"}
    ]
    assert list(found.targets({"home_id": None, "duplicate_of": "t1"})) == []


def test_a_unique_field_leads_to_its_owner() -> None:
    found = reference({"author": Annotated[str, fields.References(User, field="email")]})
    assert (found.sources, found.problem) == ({"email": "author"}, "")
    assert found.lock is User.layout.fields["email"]
    found = reference({"country": str, "author": Annotated[str, fields.References(User, field="handle")]})
    assert (found.sources, found.problem) == ({"handle": "author", "country": "country"}, "")


def test_a_target_that_cannot_be_found_is_left_to_check() -> None:
    found = reference({"author": Annotated[str, fields.References(User, field="nickname")]})
    assert found.problem == "it contains User.nickname, which is neither part of the primary key nor unique"
    assert found.fix == "refer to the primary key (user_id), or make User.nickname fields.Unique()"
    found = reference({"author": Annotated[str, fields.References(User, field="handle")]})
    assert found.problem == "the lock of handle of User needs country, which Thing has not"
    found = reference({"task": Annotated[str, fields.References(Task, field="task_id")]})
    assert found.problem == "the key of Task needs board_id, which Thing has not"
    assert "add the field board_id to Thing" in found.fix


@pytest.mark.parametrize(
    ("annotations", "message"),
    [
        (
            {"a": Annotated[str, fields.References("Usr")]},
            "Thing.a refers to Usr, which is no entity of app; did you mean User?",
        ),
        (
            {"a": Annotated[str, fields.References(Task, field="id")]},
            "Thing.a refers to Task.id, which is no field; it has: board_id, task_id",
        ),
        (
            {"a": Annotated[str, fields.References(Task)]},
            "Thing.a refers to Task, whose key is made of board_id, task_id; say which of them it contains: "
            'References(Task, field="task_id")',
        ),
        ({"a": Annotated[str, fields.References(Settings)]}, "whose key contains no field that a could be"),
        (
            {"a": Annotated[int, fields.References(User)]},
            "Thing.a refers to User, but Thing.a can never be equal to User.user_id: it is a number and never matches "
            "text",
        ),
        ({"a": Annotated[list[int], fields.References(User)]}, "it is a number and never matches text"),
        ({"a": Annotated[str, fields.References(Timestamped)]}, "not an entity with a table"),
        (
            {"a": Annotated[str, fields.References(int)]},
            "Thing.a has References(int), which is not an entity",
        ),
        ({"a": Annotated[str, fields.References(User), fields.Encrypted()]}, "which cannot be followed"),
        ({"a": Annotated[str, fields.References]}, "write a: Annotated[str, fields.References(...)]"),
        ({"a": list[Annotated[str, fields.References(User)]]}, "inside of its type, where it is not seen"),
        (
            {"a": Annotated[str, fields.References(Task, within={"board_id": "b"})]},
            "but Thing has no field b; it has: thing_id, a",
        ),
        ({"a": Annotated[list[str], fields.OwnedBy(User)]}, "an entity is deleted with one owner"),
        (
            {"a": Annotated[str, fields.OwnedBy(User, field="email")]},
            "Thing.a is owned by User, but does not contain its primary key, which is made of user_id; refer to the "
            "primary key",
        ),
        (
            {"owner_id": Annotated[str, fields.OwnedBy(User)]},
            "Thing.owner_id is owned by User, but no key of Thing lists the entities of an owner: none has a partition "
            'key of owner_id; give it one, such as Keys(primary=("USER#{owner_id}", ...)) or an index with '
            '"USER#{owner_id}", or use References',
        ),
    ],
)
def test_what_cannot_work_is_refused(annotations: dict[str, Any], message: str) -> None:
    assert message in refused(annotations)


def test_a_reference_of_a_nested_model_is_refused() -> None:
    class Line(BaseModel):
        owner_id: Annotated[str, fields.References(User)]

    assert "Thing.lines has References(User) inside of its type" in refused({"lines": list[Line]})


def test_the_target_is_part_of_the_design() -> None:
    with pytest.raises(DesignError, match=r"refers to User, which is no entity of app; add it to Design\("):
        Design("app", entities=[thing({"a": Annotated[str, fields.References(User)]})])


def test_two_targets_of_one_name_need_the_class() -> None:
    other = Table("other", key="id")
    twins = [
        define_entity(table, {"id": str}, keys=Keys(primary="{id}"))
        for table in (other, Table("more", key="id"))
    ]
    made = define_entity(
        main, {"thing_id": str, "a": Annotated[str, fields.References("Thing")]}, keys=OF_THING
    )
    with pytest.raises(DesignError, match="has two entities of this name; give the class"):
        Design("app", entities=[*twins, made])


def test_a_redefined_field_keeps_its_reference() -> None:
    class Owned(Entity):
        owner_id: Annotated[str, fields.References(User)]

    with pytest.raises(DesignError, match=r"has no References\(\), but Owned.owner_id has"):

        class Note(Owned, table=Table("notes", key="owner_id")):
            owner_id: str


def test_owned_by_the_primary_key() -> None:
    found = owned({"owner_id": Annotated[str, fields.OwnedBy(User)]}, keys=OF_USER)
    assert [str(clause) for clause in found.clauses] == ["PK = USER#{owner_id}", "begins_with(SK, THING#)"]
    assert found.is_exact
    assert found.values({"user_id": "u1"}) == {"owner_id": "u1"}


def test_owned_by_a_prefix_of_the_sort_key() -> None:
    keys = Keys(primary=("BOARD#{board_id}", "TASK#{task_id}#THING#{thing_id}"))
    found = owned({"board_id": str, "task_id": Annotated[str, fields.OwnedBy(Task)]}, keys=keys)
    assert [str(each) for each in found.clauses] == [
        "PK = BOARD#{board_id}",
        "begins_with(SK, TASK#{task_id}#THING#)",
    ]
    assert found.is_exact


def test_owned_by_an_index() -> None:
    keys = Keys(primary=("THING#{thing_id}", "THING"), GSI1=("USER#{owner_id}", "{thing_id}"))
    found = owned({"owner_id": Annotated[str | None, fields.OwnedBy(User)]}, keys=keys)
    assert [str(clause) for clause in found.clauses] == ["GSI1PK = USER#{owner_id}"]
    assert not found.is_exact


def test_a_key_format_that_several_owners_share_does_not_show_the_owner() -> None:
    keys = Keys(primary=("OWNER#{owner_id:lower}", "THING#{thing_id}"))
    found = owned({"owner_id": Annotated[str, fields.OwnedBy(User)]}, keys=keys)
    assert not found.is_exact


@pytest.mark.parametrize(
    ("annotations", "index"),
    [
        ({"is_open": bool}, Sparse("USER#{owner_id}", "{thing_id}", when="is_open")),
        ({"due": str | None}, ("USER#{owner_id}", "{due}#{thing_id}")),
        ({"status": str}, ("USER#{owner_id}#{status}", "{thing_id}")),
        ({}, ("USERS", "{thing_id}#{owner_id}")),
    ],
)
def test_an_index_that_lacks_some_of_what_is_owned_does_not_list_it(
    annotations: dict[str, Any], index: Any
) -> None:
    keys = Keys(primary=("THING#{thing_id}", "THING"), GSI1=index)
    message = refused({"owner_id": Annotated[str, fields.OwnedBy(User)], **annotations}, keys=keys)
    assert "no key of Thing lists the entities of an owner" in message


def test_a_sparse_index_that_goes_with_the_reference_lists_all() -> None:
    index = Sparse("USER#{owner_id}", "{thing_id}", when="owner_id")
    keys = Keys(primary=("THING#{thing_id}", "THING"), GSI1=index)
    assert owned({"owner_id": Annotated[str | None, fields.OwnedBy(User)]}, keys=keys).key.sparse is index


def test_what_cannot_be_deleted_has_no_owner() -> None:
    with pytest.raises(
        DesignError, match='has writes without "delete", so it cannot be deleted with its owner'
    ):

        class Entry(Entity, table=main, type="ENTRY", writes={"create"}):
            user_id: Annotated[str, fields.OwnedBy(User)]
            entry_id: str
            keys = Keys(primary=("USER#{user_id}", "ENTRY#{entry_id}"))


def test_references_by_entity() -> None:
    made = thing({"owner_id": Annotated[str, fields.OwnedBy(User)]}, keys=OF_USER)
    design = Design("app", entities=[User, made])
    assert [each.name for each in design.references_of(made)] == ["Thing.owner_id"]
    assert design.references_of(User) == ()
    assert design.owned_by(made) == ()


def test_an_owner_whose_key_is_a_secret_is_refused() -> None:
    class Account(Entity, table=main, type="ACCOUNT"):
        token: Annotated[str, fields.Hashed()]
        keys = Keys(primary=("ACCOUNT#{token}", "ACCOUNT"))

    made = thing(
        {"token": Annotated[str, fields.OwnedBy(Account)]},
        keys=Keys(primary=("OF#{token}", "{thing_id}")),
    )
    with pytest.raises(DesignError, match="whose key contains a secret"):
        Design("app", entities=[Account, made])
