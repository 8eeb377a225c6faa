"""Mutations of Boards."""

from systems.tests.mutants.mutation import Mutation

SERVICE = "boards/service/"
RULES = "systems/tests/boards/test_rules.py::"
RACES = "systems/tests/boards/test_races.py::"
DELETIONS = "systems/tests/boards/test_deletions.py::"
ROWS = "systems/tests/boards/test_document_rows.py::"

MUTATIONS: tuple[Mutation, ...] = (
    # Authorization
    Mutation(
        "any user approves join requests",
        SERVICE + "joining.py",
        "    board, permitted = board_for_approver(db, caller, board_id)\n    return _create",
        "    board, permitted = board_of(db, board_id), ()\n    return _create",
    ),
    Mutation(
        "any user rejects join requests",
        SERVICE + "joining.py",
        "    board, permitted = board_for_approver(db, caller, board_id)\n    transact",
        "    board, permitted = board_of(db, board_id), ()\n    transact",
    ),
    Mutation(
        "any user reads the join request of another user",
        SERVICE + "joining.py",
        "    if user_id != caller.user_id:\n        board_for_approver(db, caller, board_id)\n",
        "",
    ),
    Mutation(
        "any user lists the join requests of a board",
        SERVICE + "joining.py",
        "    board_for_approver(db, caller, board_id)\n    return",
        "    return",
    ),
    Mutation(
        "any user lists the members of a board",
        SERVICE + "members.py",
        "    require_member(db, caller, board_id)\n    return paging",
        "    return paging",
    ),
    Mutation(
        "any member removes members",
        SERVICE + "members.py",
        "board, permitted = managed_board(db, caller, board_id)",
        "board, permitted = board_of(db, board_id), ()",
    ),
    Mutation(
        "a manager removes a manager",
        SERVICE + "members.py",
        "if theirs.role is Role.MANAGER and board.owner_id != caller.user_id:",
        "if False:",
    ),
    Mutation(
        "any member changes roles",
        SERVICE + "members.py",
        "    board = owned_board(db, caller, board_id)\n    theirs",
        "    board = board_of(db, board_id)\n    theirs",
    ),
    Mutation(
        "any member takes over the board",
        SERVICE + "members.py",
        "    board = owned_board(db, caller, board_id)\n    require_version",
        "    board = board_of(db, board_id)\n    require_version",
    ),
    Mutation(
        "the owner leaves the board",
        SERVICE + "members.py",
        'raise Conflict("the owner cannot leave; transfer the board first")',
        "pass",
    ),
    Mutation(
        "any user renames a board",
        SERVICE + "boards.py",
        "    board = owned_board(db, caller, board_id)\n    require_version",
        "    board = db.get_or_raise(design.BoardById(board_id=board_id))\n    require_version",
    ),
    Mutation(
        "any user deletes a board",
        SERVICE + "boards.py",
        "    require_owner(caller, board)\n    if board.deleting_at",
        "    if board.deleting_at",
    ),
    Mutation(
        "any user acts as the owner",
        SERVICE + "authorization.py",
        "    if board.owner_id != caller.user_id:\n        raise",
        "    if not caller.user_id:\n        raise",
    ),
    Mutation(
        "any user revokes permissions",
        SERVICE + "permissions.py",
        "    board = owned_board(db, caller, board_id)\n    target",
        "    board = db.get_or_raise(design.BoardById(board_id=board_id))\n    target",
    ),
    Mutation(
        "any user sees who may use a service",
        SERVICE + "permissions.py",
        "    managed_board(db, caller, board_id)\n    return",
        "    return",
    ),
    Mutation(
        "permissions are granted to users who are no members",
        SERVICE + "permissions.py",
        "        writes.Check(member, otherwise=no_member),\n",
        "",
    ),
    Mutation(
        "any member acts as a manager",
        SERVICE + "authorization.py",
        "if mine is None or mine.role is not Role.MANAGER:",
        "if mine is None:",
    ),
    Mutation(
        "any user adds service types",
        SERVICE + "catalogue.py",
        '    caller.require_role("admin")\n',
        "",
    ),
    Mutation(
        "a board that requires approval is joined without it",
        SERVICE + "joining.py",
        'raise Conflict("this board requires approval; send a join request")',
        "pass",
    ),
    Mutation(
        "an address counts as verified without the claim",
        "service/callers.py",
        'self.claims.get("email_verified") is True',
        'self.claims.get("email_verified") is not False',
        (RULES + "test_r2_address_that_was_not_verified_is_not_taken",),
    ),
    # Expiry
    Mutation(
        "a request that has expired is approved",
        SERVICE + "joining.py",
        'writes.Delete(request, otherwise=NotFound(f"pending request of user {user_id}"))',
        "writes.Delete(request)",
    ),
    Mutation("the configured ttlDays are ignored", SERVICE + "joining.py", "asked.ttl_days * DAY", "3 * DAY"),
    # Limits
    Mutation(
        "a board has any number of services",
        SERVICE + "services.py",
        "len(there) >= MAX_SERVICES",
        "len(there) < 0",
        (RULES + "test_r14_leaving_member_loses_all_permissions",),
    ),
    Mutation(
        "a name of the document's rows is taken twice",
        SERVICE + "names.py",
        "        if row is not None and self.row(row) != target:\n            raise self.taken()\n",
        "",
    ),
    Mutation(
        "production scans tables without an index",
        "boards/index_fallback.py",
        "db.context.environment != DEVELOPMENT or ",
        "",
    ),
    # Deletion
    Mutation(
        "a user who is being deleted becomes an owner",
        SERVICE + "members.py",
        "transferred, user_exists(user_id), _role",
        "transferred, _role",
    ),
    Mutation(
        "the owner of a board is deleted",
        SERVICE + "users.py",
        "    if any(board is not None and board.owner_id == mine.user_id for board in boards):\n",
        "    if not boards:\n",
    ),
    Mutation(
        "a user who became an owner is deleted in part",
        SERVICE + "users.py",
        "        _require_no_boards(db, mine)\n    except",
        "        pass\n    except",
        (RACES + "test_transfer_and_deletion_of_the_new_owner_leave_no_half_deleted_owner",),
    ),
    Mutation(
        "an owner whose deletion is rejected stays marked",
        SERVICE + "users.py",
        '        db.update(mine, remove=["deleting_at"])\n',
        "",
        (DELETIONS + "test_owner_after_a_late_transfer_keeps_the_account",),
    ),
    Mutation(
        "a deleted user keeps permissions",
        SERVICE + "users.py",
        "            leave(db, Caller(mine.user_id), membership.board_id)\n",
        "            pass\n",
    ),
    Mutation(
        "a deleted user whose membership cannot be read stays a member",
        SERVICE + "users.py",
        "    erase_rows(db, memberships)\n",
        "",
        (ROWS + "test_user_with_unreadable_rows_is_deleted",),
    ),
    Mutation(
        "a removed member keeps permissions",
        SERVICE + "members.py",
        "        *map(writes.Delete, permissions),\n",
        "",
        (RULES + "test_r14_leaving_member_loses_all_permissions",),
    ),
    Mutation(
        "a deleted board keeps its members",
        SERVICE + "boards.py",
        "        design.MembersOfBoard(board_id=board_id),\n    )",
        "    )",
    ),
    Mutation(
        "a deleted board keeps its requests",
        SERVICE + "boards.py",
        "        design.RequestsOfBoard(board_id=board_id),\n",
        "",
    ),
    Mutation(
        "rows that cannot be read keep a board from its deletion",
        SERVICE + "boards.py",
        'design.ServicesOfBoardNow(board_id=board_id), unknown="skip")',
        "design.ServicesOfBoardNow(board_id=board_id))",
        tests=(ROWS + "test_board_with_unreadable_rows_is_deleted",),
    ),
    Mutation(
        "rows that cannot be read stay when their owner is deleted",
        "service/raw_calls.py",
        "                erase_row(db, unreadable)\n",
        "                continue\n",
        tests=(ROWS + "test_user_with_unreadable_rows_is_deleted",),
    ),
    Mutation(
        "a disabled service keeps its permissions",
        SERVICE + "services.py",
        "    )\n    revoke_all(db, board_id, service_id)\n",
        "    )\n",
    ),
    Mutation(
        "any user reads the membership of another user",
        SERVICE + "members.py",
        "        require_member(db, caller, board_id)\n    return member_of",
        "        pass\n    return member_of",
    ),
    Mutation(
        "any user lists the services of a board",
        SERVICE + "services.py",
        "    require_member(db, caller, board_id)\n    if service_type is None:",
        "    if service_type is None:",
    ),
    Mutation(
        "any user reads a service of a board",
        SERVICE + "services.py",
        "    require_member(db, caller, board_id)\n    return _setting",
        "    return _setting",
    ),
    Mutation(
        "any user reads the default service of a board",
        SERVICE + "services.py",
        "    require_member(db, caller, board_id)\n    default =",
        "    default =",
    ),
    Mutation(
        "a manager removes the owner",
        SERVICE + "members.py",
        '    if board.owner_id == user_id:\n        raise Conflict("the owner cannot be removed',
        '    if False:\n        raise Conflict("the owner cannot be removed',
    ),
    Mutation(
        "the owner gives a board a second owner",
        SERVICE + "members.py",
        "    if role is Role.OWNER or board.owner_id == user_id:",
        "    if board.owner_id == user_id:",
    ),
    Mutation(
        "the owner becomes a member of the own board",
        SERVICE + "members.py",
        "    if role is Role.OWNER or board.owner_id == user_id:",
        "    if role is Role.OWNER:",
    ),
)
