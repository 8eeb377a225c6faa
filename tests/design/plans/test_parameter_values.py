"""Parameters are validated as the fields whose places in the key they fill."""

from datetime import UTC, date, datetime
from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from pydantic import (
    AfterValidator,
    Field,
    StringConstraints,
    ValidationError,
    ValidationInfo,
    field_validator,
)

from tablewright import BatchGet, Copy, Entity, Find, Get, Index, Keys, Query, Table, fields

main = Table("main", ("PK", "SK"), [Index("GSI1", "GSI1PK", "GSI1SK"), Index("GSI2", "GSI2PK", "GSI2SK")])


class Role(Enum):
    ADMIN = "admin"
    GUEST = "guest"


class User(Entity, table=main, type="USER"):
    user_id: Annotated[str, Field(min_length=3)]
    email: Annotated[str, AfterValidator(str.lower)]
    nick: Annotated[str, StringConstraints(strip_whitespace=True)] = "none"
    code: str = "none"
    role: Role = Role.GUEST
    status: Literal["open", "closed"] = "open"
    level: int = 1
    day: date = date(2026, 5, 1)
    friends: tuple[str, ...] = ()
    keys = Keys(
        primary=("USER#{email}", "{nick}#{user_id}"),
        GSI1=("{role}#{status}", "{code}#{level}"),
        GSI2=("DAY#{day}", "{level:04}"),
    )
    friend = Copy(each="friends", name="friend", primary=("FRIEND#{friend}", "{user_id}"))

    @field_validator("code")
    @classmethod
    def _upper(cls, code: str) -> str:
        return code.upper()


class UserAt(Get[User]):
    email: str
    nick: str
    user_id: str


class UsersAt(BatchGet[User]):
    email: list[str]
    nick: str
    user_id: tuple[str, ...]


class UsersLike(Query[User]):
    email: str
    start: str
    key = "PK = USER#{email} AND begins_with(SK, {start})"


class UsersOfNick(Query[User]):
    email: str
    name: str
    start: str
    key = "PK = USER#{email} AND begins_with(SK, {name}#{start})"


class UsersByRole(Query[User]):
    role: str
    status: str
    code: str
    level: str
    key = "GSI1PK = {role}#{status} AND GSI1SK = {code}#{level}"


class UsersOfDay(Query[User]):
    day: str
    key = "GSI2PK = DAY#{day}"


class FriendsOf(Query[User]):
    friend: str
    key = "PK = FRIEND#{friend}"


def refusal(action: Any) -> str:
    with pytest.raises(ValidationError) as error:
        action()
    return str(error.value)


def test_validators_of_the_field_change_the_parameter() -> None:
    user = UserAt(email="Ada@B.C", nick=" ada ", user_id="x")
    assert (user.email, user.nick, user.user_id) == ("ada@b.c", "ada", "x")  # limits are not applied
    assert UserAt.model_validate({"email": "A", "nick": "a", "user_id": "1"}).email == "a"


def test_the_elements_of_a_batch_are_validated_one_by_one() -> None:
    users = UsersAt(email=["A", "B"], nick=" a", user_id=("1", "2"))
    assert (users.email, users.nick, users.user_id) == (["a", "b"], "a", ("1", "2"))


def test_a_prefix_is_not_validated_and_a_part_before_it_is() -> None:
    assert UsersLike(email="A", start=" A").start == " A"
    users = UsersOfNick(email="A", name=" n ", start="X ")
    assert (users.email, users.name, users.start) == ("a", "n", "X ")


def test_texts_of_other_types_are_those_that_a_key_has() -> None:
    users = UsersByRole(role="guest", status="open", code="abc", level="07")
    assert (users.role, users.status, users.code, users.level) == ("guest", "open", "ABC", "7")
    message = refusal(lambda: UsersByRole(role="GUEST", status="shut", code="a", level="many"))
    for text in ("UsersByRole", "role", "'admin' or 'guest'", "'shut'", "'many'"):
        assert text in message


def test_a_time_in_text_stays_as_it_is() -> None:
    assert UsersOfDay(day="2026-05-01").day == "2026-05-01"
    assert "UsersOfDay" in refusal(lambda: UsersOfDay(day="yesterday"))


def test_the_element_of_a_copied_list_is_not_a_field() -> None:
    assert FriendsOf(friend="A").friend == "A"


def test_a_validator_that_looks_at_other_fields_is_left_out() -> None:
    class Place(Entity, table=main, type="PLACE"):
        country: str
        city: str
        keys = Keys(primary=("{country}", "{city}"))

        @field_validator("city")
        @classmethod
        def _with_country(cls, city: str, info: ValidationInfo) -> str:
            return f"{info.data['country']}-{city}"

    class PlaceAt(Get[Place]):
        country: str
        city: str

    assert PlaceAt(country="SE", city="Lund").city == "Lund"


def test_a_pattern_that_derives_from_another_has_checks_of_its_own() -> None:
    class UsersBefore(UsersLike):
        key = "PK = USER#{email} AND SK < {start}"

    class UsersFrom(Query[User]):
        email: str

    class UsersStarting(UsersFrom):
        key = "PK = USER#admin AND begins_with(SK, {email})"

    assert UsersBefore(email="A", start="B").email == "a"
    assert UsersStarting(email="A").email == "A"


class Entry(Entity, table=main, type="ENTRY"):
    entry_id: str
    at: fields.Timestamp
    bucket: Annotated[int, Field(ge=0, lt=4)] = 0
    keys = Keys(
        primary=("LOG#{at:%Y-%m}#{entry_id:shard(12)}", "{entry_id}"),
        GSI1=("{at:%G-W%V}", "{at:epoch}"),
        GSI2=("BUCKET#{bucket}", "{at}"),
    )


class EntriesOf(Query[Entry]):
    month: str
    shard: int
    key = "PK = LOG#{month}#{shard:02}"


class EntriesOfWeek(Query[Entry]):
    week: str
    key = "GSI1PK = {week}"


class EntriesOfBucket(Query[Entry]):
    bucket: int
    key = "GSI2PK = BUCKET#{bucket}"


class EntriesAt(Query[Entry]):
    at: fields.Timestamp
    entry_id: str
    key = "PK = LOG#{at:%Y-%m}#{entry_id:shard(12)}"


@pytest.mark.parametrize("month", ["2026-5", "2026-13", "2026-00", "26-05", "2026-05-01"])
def test_a_month_has_the_text_of_the_key(month: str) -> None:
    assert EntriesOf(month="2026-05", shard=11).month == "2026-05"
    message = refusal(lambda: EntriesOf(month=month, shard=0))
    assert "must be a text such as 2026-05: Entry writes the key" in message


def test_a_shard_and_a_week_exist_in_the_key() -> None:
    assert "must be a shard, 0 to 11" in refusal(lambda: EntriesOf(month="2026-05", shard=12))
    assert "bucket" in refusal(lambda: EntriesOfBucket(bucket=4))
    assert EntriesOfWeek(week="2026-W01").week == "2026-W01"
    assert "a text such as 2026-W18" in refusal(lambda: EntriesOfWeek(week="2026-W1"))


def test_a_time_of_which_the_key_has_a_part_is_not_checked() -> None:
    at = datetime(2026, 5, 1, tzinfo=UTC)
    assert EntriesAt(at=at, entry_id="1").at == at


def test_a_rejected_secret_is_not_shown() -> None:
    def numeric(token: str) -> str:
        if not token.isdecimal():
            raise ValueError("is not a number")
        return token.strip()

    class Session(Entity, table=main, type="SESSION"):
        token: Annotated[str, fields.Hashed(), AfterValidator(numeric)]
        keys = Keys(primary=("SESSION#{token}", "SESSION"))

    class SessionOf(Find[Session]):
        token: str

    assert SessionOf(token="12").token == "12"
    message = refusal(lambda: SessionOf(token="my-secret"))
    assert "SessionOf" in message
    assert "my-secret" not in message
