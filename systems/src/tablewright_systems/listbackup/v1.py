"""The way from V1 to V2, in one command:

    python -m tablewright_systems.listbackup.v1 --on http://HOST:PORT --env STACK --keys keys.json

It completes the rows of V1, and then applies the migrations in `migrations.py`. A migration converts the items that it
finds, and cannot create others, so this is done first:

- an account gets a membership of its owner, and a user one in the user's primary account, if there is none
- the members of a team and the resources of a tag, which V1 lists inside them, get items of their own
- an account gets its numbers of users, owners, sources and children, counted from the rows (`usage`)

Stop the programs of V1 before. The command can be interrupted and repeated: rows of V2 are left as they are. It prints
the rows that it rejects, with the reason, and then exits with 1; repair them and run it again.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from tablewright import Entity, Repository, Table, connect, errors, keyrings, migrations
from tablewright_systems.listbackup.design import design
from tablewright_systems.listbackup.design.accounts import accounts
from tablewright_systems.listbackup.design.memberships import (
    AccountRole,
    MembershipStatus,
    UserAccount,
    users_accounts,
)
from tablewright_systems.listbackup.design.sources import sources
from tablewright_systems.listbackup.design.tags import TaggedResource, tags
from tablewright_systems.listbackup.design.teams import TeamMember, TeamRole, teams
from tablewright_systems.listbackup.design.users import users

Row = dict[str, Any]
Report = Callable[[str], None]


def migrate_v1(
    db: Repository, report: Report = print, pause: Callable[[float], object] | None = None
) -> bool:
    """Complete the rows of V1 and apply the migrations; return whether nothing was rejected."""
    complete_rows(db, report)
    options: dict[str, Any] = {} if pause is None else {"pause": pause}
    for result in migrations.migrate(db, allow_incomplete=True, **options):
        report(f"{result.migration.name}: {result.tally.changed} changed")
    rejected = migrations.retry(db, **options)
    for name, rejects in rejected.items():
        for reject in rejects:
            report(f"{name}: rejected {_plain({'M': reject.key})}: {reject.reason}")
    return not any(rejected.values())


def complete_rows(db: Repository, report: Report = print) -> None:
    """Create the items that V1 does not have, and count what belongs to each account of V1."""
    rows = [row for row in _rows(db, accounts) if "rootAccountId" not in row]
    _complete_memberships(db, rows)
    for row in _rows(db, teams):
        if "entityType" not in row:
            made = [_team_member(row, part) for part in _parts(row, "members")]
            count = _create_each(db, report, f"team {row['teamId']}", made)
            _update(db, teams, row, "memberCount", {"N": str(count)})
    for row in _rows(db, tags):
        if "entityType" not in row:
            made = [_attachment(row, part) for part in _parts(row, "resources")]
            count = _create_each(db, report, f"tag {row['tagId']}", made)
            _update(db, tags, row, "resourceCount", {"N": str(count)})
    _count(db, rows)


def _complete_memberships(db: Repository, account_rows: list[Row]) -> None:
    known = {(row["userId"], row["accountId"]): row for row in _memberships(db)}
    wanted = {
        (row["userId"], row["accountId"]): AccountRole.MEMBER
        for row in _rows(db, users)
        if "displayEmail" not in row and row.get("accountId")
    }
    owned = {row["accountId"] for row in known.values() if row.get("role") == AccountRole.OWNER.value}
    for row in account_rows:
        owner = row.get("ownerId") or row.get("createdBy")
        if owner and row["accountId"] not in owned:
            wanted[owner, row["accountId"]] = AccountRole.OWNER
    for key, role in wanted.items():
        if key not in known:
            with suppress(errors.AlreadyExists):  # another run created it
                db.create(_membership(db, *key, role))
        elif role is AccountRole.OWNER:
            _update(db, users_accounts, known[key], "role", {"S": role.value})


def _membership(db: Repository, user_id: str, account_id: str, role: AccountRole) -> UserAccount:
    return UserAccount(
        user_id=user_id,
        account_id=account_id,
        role=role,
        status=MembershipStatus.ACTIVE,
        joined_at=db.now(),
    )


def _count(db: Repository, account_rows: list[Row]) -> None:
    """Write the numbers that an account of V2 has as counters into `usage`."""
    members, owners = Counter[str](), Counter[str]()
    for row in _memberships(db):
        members[row["accountId"]] += 1
        is_active = row.get("status", "active") == MembershipStatus.ACTIVE.value
        owners[row["accountId"]] += is_active and row.get("role") == AccountRole.OWNER.value
    belonging = Counter(row["accountId"] for row in _rows(db, sources))
    children = Counter(row["parentAccountId"] for row in _rows(db, accounts) if row.get("parentAccountId"))
    for row in account_rows:
        account_id = row["accountId"]
        counted = {
            "users": members[account_id],
            "owners": owners[account_id],
            "sources": belonging[account_id],
            "children": children[account_id],
            "storage": int((row.get("usage") or {}).get("storage", 0)),
        }
        usage = {name: {"N": str(number)} for name, number in counted.items()}
        _update(db, accounts, row, "usage", {"M": usage})


def _team_member(team: Row, member: Row) -> Callable[[], Entity]:
    return lambda: TeamMember(
        account_id=team["accountId"],
        team_id=team["teamId"],
        user_id=member["userId"],
        role=TeamRole(member.get("role", "member")),
        joined_at=datetime.fromisoformat(member["joinedAt"]),
    )


def _attachment(tag: Row, resource: Row) -> Callable[[], Entity]:
    account_id, _, kind = tag["accountId#resourceType"].partition("#")
    return lambda: TaggedResource(
        account_id=account_id,
        resource_type=kind,
        tag_id=tag["tagId"],
        resource_id=resource["resourceId"],
        attached_at=datetime.fromisoformat(resource["attachedAt"]),
        attached_by=resource["attachedBy"],
    )


def _create_each(db: Repository, report: Report, place: str, made: list[Callable[[], Entity]]) -> int:
    """Create the items that do not exist yet; return how many exist. An entry that makes no sense is reported."""
    count = 0
    for make in made:
        try:
            with suppress(errors.AlreadyExists):
                db.create(make())
            count += 1
        except (KeyError, ValueError) as error:
            report(f"rejected an entry of {place}: {error}")
    return count


def _parts(row: Row, name: str) -> list[Row]:
    parts = row.get(name) or []
    return [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []


def _memberships(db: Repository) -> Iterator[Row]:
    """The rows of memberships, of V1 and of V2, without invitations and announcements."""
    return (
        row for row in _rows(db, users_accounts) if row.get("entityType", "USER_ACCOUNT") == "USER_ACCOUNT"
    )


def _rows(db: Repository, table: Table) -> Iterator[Row]:
    """The stored items of a table as plain values, without the locks of unique values."""
    request: dict[str, Any] = {"TableName": db.context.table_name(table)}
    while True:
        reply = db.connection.call("Scan", request)
        yield from (_plain({"M": item}) for item in reply["Items"] if "_of" not in item)
        if "LastEvaluatedKey" not in reply:
            return
        request["ExclusiveStartKey"] = reply["LastEvaluatedKey"]


def _update(db: Repository, table: Table, row: Row, name: str, value: dict[str, Any]) -> None:
    key = [table.key] if isinstance(table.key, str) else table.key
    db.connection.call(
        "UpdateItem",
        {
            "TableName": db.context.table_name(table),
            "Key": {attribute: {"S": row[attribute]} for attribute in key},
            "UpdateExpression": "SET #name = :value",
            "ExpressionAttributeNames": {"#name": name},
            "ExpressionAttributeValues": {":value": value},
        },
    )


def _plain(value: dict[str, Any]) -> Any:
    ((kind, content),) = value.items()
    match kind:
        case "M":
            return {name: _plain(entry) for name, entry in content.items()}
        case "L":
            return [_plain(entry) for entry in content]
        case "NULL":
            return None
        case _:
            return content


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(
        prog="python -m tablewright_systems.listbackup.v1", description="Migrate ListBackup from V1 to V2."
    )
    parser.add_argument("--on", metavar="LOCATION", help="FILE, http://HOST:PORT or aws:REGION")
    parser.add_argument("--env", required=True, help="name of the stack, in the names of the tables")
    parser.add_argument("--prefix", default="", help="prefix of all table names")
    parser.add_argument("--keys", metavar="FILE", required=True, help="master keys of encrypted fields")
    options = parser.parse_args(arguments)
    keys = keyrings.KeyFile(Path(options.keys))
    with connect(
        design, options.on, environment=options.env, prefix=options.prefix, secrets=keys, create=True
    ) as db:
        return 0 if migrate_v1(db) else 1


if __name__ == "__main__":
    sys.exit(main())
