"""Mutations of GoalsGuild."""

from systems.tests.mutants.mutation import Mutation

SERVICE = "goalsguild/service/"
DESIGN = "goalsguild/design/"
RACES = "systems/tests/goalsguild/test_races.py::"
RULES = "systems/tests/goalsguild/test_login_rules.py::"
JOBS = "systems/tests/goalsguild/test_jobs.py::"

MUTATIONS = (
    # Authorization
    Mutation(
        "any member changes the members of a room",
        SERVICE + "rooms.py",
        "        Member.role == Role.OWNER,\n        otherwise=Forbidden",
        "        otherwise=Forbidden",
    ),
    Mutation(
        "any user posts in any room",
        SERVICE + "rooms.py",
        "checks: list[writes.Write] = [inside, _lasting(room_id)]",
        "checks: list[writes.Write] = [_lasting(room_id)]",
    ),
    Mutation(
        "any member edits the messages of others",
        SERVICE + "rooms.py",
        "    if message.user_id != caller.user_id:\n",
        "    if False:\n",
    ),
    Mutation(
        "any user reads the threads of others",
        SERVICE + "assistance.py",
        "    if thread.user_id != caller.user_id:\n",
        "    if False:\n",
    ),
    Mutation(
        "any user changes the tasks of others",
        SERVICE + "goals.py",
        "        changes=values,\n        when=Task.user_id == caller.user_id,\n",
        "        changes=values,\n",
    ),
    Mutation(
        "private goals are public",
        SERVICE + "goals.py",
        "goal.visibility is Visibility.PUBLIC and ",
        "",
    ),
    Mutation(
        "any user changes the company of others",
        SERVICE + "offers.py",
        "else Company.owner_id == caller.user_id",
        "else fields.of(Company.owner_id).exists()",
    ),
    Mutation(
        "any user changes the tier",
        SERVICE + "users.py",
        '    caller.require_role("admin")\n    return db.update(ProfileById(user_id=user_id), set={"tier"',
        '    return db.update(ProfileById(user_id=user_id), set={"tier"',
    ),
    Mutation(
        "any user suspends others",
        SERVICE + "users.py",
        '    caller.require_role("admin")\n    otherwise',
        "    otherwise",
    ),
    Mutation(
        "suspended users publish by editing",
        SERVICE + "permissions.py",
        "(User.status != UserStatus.SUSPENDED) & (User.status != UserStatus.DELETING)",
        "User.status != UserStatus.DELETING",
    ),
    Mutation(
        "an unverified address is accepted",
        SERVICE + "users.py",
        "    if caller.email is None:\n",
        '    if caller.claim("email") is None:\n',
    ),
    # Passwords and limits
    Mutation(
        "sharp s and ss are one address",
        DESIGN + "users.py",
        "AnyEmail = Annotated[str, AfterValidator(fold_email)]",
        "AnyEmail = Annotated[str, AfterValidator(fields.fold)]",
        (RULES + "test_reset_mail_goes_to_the_stored_address_only",),
    ),
    Mutation(
        "a token works until the account changes",
        SERVICE + "logins.py",
        "        writes.Delete(target, when=Token.purpose == purpose, otherwise=_invalid()),\n",
        "        writes.Check(target, Token.purpose == purpose, otherwise=_invalid()),\n",
        (RACES + "test_token_is_redeemed_once",),
    ),
    Mutation(
        "all concurrent reset tokens succeed",
        SERVICE + "logins.py",
        '        set={"scrypt": password},\n        when=Credential.scrypt == account.credential.scrypt,\n',
        '        set={"scrypt": password},\n',
        (RACES + "test_of_concurrent_reset_tokens_one_succeeds",),
    ),
    Mutation(
        "a token survives a change of the address",
        SERVICE + "logins.py",
        "(self.user.email, self.user.created_at.isoformat(), password)",
        "(self.user.created_at.isoformat(), password)",
    ),
    Mutation(
        "a token for one purpose serves another",
        SERVICE + "logins.py",
        "writes.Delete(target, when=Token.purpose == purpose, otherwise=_invalid())",
        "writes.Delete(target, otherwise=_invalid())",
    ),
    Mutation(
        "failures of one network block the owner everywhere",
        SERVICE + "logins.py",
        '"identifier": fold_email(email), "network": network}',
        '"identifier": fold_email(email)}',
    ),
    Mutation(
        "logins are not limited",
        SERVICE + "logins.py",
        'Subject.EMAIL: _limit(5, "too many attempts',
        'Subject.EMAIL: _limit(5_000, "too many attempts',
    ),
    Mutation(
        "lookups of addresses are not limited",
        SERVICE + "logins.py",
        'Subject.LOOKUP: _limit(20, "',
        'Subject.LOOKUP: _limit(20_000, "',
        (RULES + "test_lookups_of_addresses_are_limited",),
    ),
    Mutation(
        "a wrong password is accepted",
        SERVICE + "logins.py",
        "    return is_equal and stored is not None\n",
        "    return stored is not None\n",
    ),
    # Expiry and deletion
    Mutation(
        "tokens do not expire for a year",
        SERVICE + "logins.py",
        "Purpose.RESET_PASSWORD: timedelta(hours=1)",
        "Purpose.RESET_PASSWORD: timedelta(days=365)",
    ),
    Mutation(
        "messages do not expire",
        SERVICE + "rooms.py",
        "        ttl=int((now + lifetime).timestamp()) if lifetime else None,\n",
        "",
    ),
    Mutation(
        "a password set during a deletion stays",
        SERVICE + "logins.py",
        "    write_as(db, caller, writes.Put(credential))\n",
        "    db.put(credential)\n",
        (RACES + "test_password_set_during_a_deletion_is_not_left",),
    ),
    Mutation(
        "the password of a deleted account stays",
        SERVICE + "accounts.py",
        "        older_dependents.delete_rest,\n",
        "",
    ),
    Mutation(
        "rooms of a deleted account have no owner",
        SERVICE + "accounts.py",
        "        rooms.leave_all,\n",
        "",
    ),
    Mutation(
        "offers of a deleted account stay",
        SERVICE + "accounts.py",
        "        offers.erase_companies,\n",
        "",
    ),
    Mutation(
        "reminders look back one day only",
        SERVICE + "reminders.py",
        "    since = run.since(now)\n",
        "    since = max(run.since(now), now - LEAD)\n",
        (JOBS + "test_no_task_is_left_out_after_a_long_pause",),
    ),
    Mutation(
        "a deleted goal keeps its tasks",
        SERVICE + "goals.py",
        "            db.delete(task)\n",
        "",
    ),
    Mutation(
        "rows that cannot be read keep an account from its deletion",
        SERVICE + "accounts.py",
        'GoalsOfUser(user_id=user_id), unknown="skip")',
        "GoalsOfUser(user_id=user_id))",
        tests=("systems/tests/goalsguild/test_older_rows.py::test_account_with_unreadable_rows_is_deleted",),
    ),
    Mutation(
        "rows that cannot be read stay after the deletion of their account",
        SERVICE + "older_dependents.py",
        '        if kind == "PROFILE":\n',
        '        if kind != "CREDENTIAL":\n',
        tests=("systems/tests/goalsguild/test_older_rows.py::test_account_with_unreadable_rows_is_deleted",),
    ),
    Mutation(
        "any user answers as the assistant",
        SERVICE + "assistance.py",
        '    caller.require_role("assistant")\n',
        "",
    ),
    Mutation(
        "any user lists the due tasks of all users",
        SERVICE + "reminders.py",
        '    caller.require_role("worker", "admin")\n',
        "",
    ),
    Mutation(
        "any user reads a private room",
        SERVICE + "rooms.py",
        "    if room.visibility is not Visibility.PUBLIC and not _member(db, caller, room_id):",
        "    if False:",
    ),
    Mutation(
        "any user lists the members of a room",
        SERVICE + "rooms.py",
        "    _require_member(db, caller, room_id)\n    return paging.run(db, MembersOfRoom",
        "    return paging.run(db, MembersOfRoom",
    ),
    Mutation(
        "any user joins a private room",
        SERVICE + "rooms.py",
        "writes.Check(RoomById(room_id=room_id), is_public, otherwise",
        "writes.Check(RoomById(room_id=room_id), otherwise",
    ),
    Mutation(
        "a suspended user logs in",
        SERVICE + "logins.py",
        '        raise Forbidden("this requires an active account")\n    transact',
        "        pass\n    transact",
    ),
    Mutation(
        "passwords can be short",
        SERVICE + "logins.py",
        "    if len(password) < MIN_LENGTH:",
        "    if not password:",
    ),
    Mutation(
        "the profile of a suspended user is public",
        SERVICE + "users.py",
        "    if user.status in (UserStatus.SUSPENDED, UserStatus.DELETING):\n        raise NotFound",
        "    if False:\n        raise NotFound",
    ),
    Mutation(
        "a user marks a goal as deleted, and it stays",
        SERVICE + "goals.py",
        '    if changes.get("status") == GoalStatus.DELETING:',
        "    if False:",
    ),
)
