"""Results with one entry for each argument: what a transaction knows of each write."""

from typing import Annotated, Any

import pytest

from tablewright import Design, Entity, Keys, Table, connect, fields, writes
from tests.access.conftest import Awaited

table = Table("teams", key=("PK", "SK"))


class Member(Entity, table=table, type="MEMBER"):
    member_id: str
    name: Annotated[str, fields.Unique()] = ""
    points: int = 0
    keys = Keys(primary=("MEMBER#{member_id}", "MEMBER"))


@pytest.fixture(params=["sync", "async"])
def db(request: pytest.FixtureRequest) -> Any:
    repository = connect(Design("teams", entities=[Member]))
    used = Awaited(repository) if request.param == "async" else repository
    yield used
    used.close()


def test_each_write_has_its_result(db: Any) -> None:
    ada, bob, eve, joe, zoe = (
        Member(member_id=each, name=each) for each in ("ada", "bob", "eve", "joe", "zoe")
    )
    kim = Member(member_id="kim", name="kim")
    for each in (bob, eve, joe, zoe, kim):
        db.create(each)
    created, renamed, counted, deleted, checked, moved, absent = db.transact(
        writes.Create(ada),
        writes.Update(bob, set={"name": "bobby"}),
        writes.Add(eve, points=1),
        writes.Delete(joe),
        writes.Check(kim),
        writes.Move(zoe, {"member_id": "zoë"}),
        writes.CheckAbsent(writes.Target(Member, {"member_id": "lea"})),
    )
    assert created == ada
    assert renamed.name == "bobby"
    assert counted is None
    assert deleted is checked is absent is None
    assert moved.member_id == "zoë"
    assert db.transact() == ()
