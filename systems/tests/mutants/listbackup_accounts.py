"""Mutations of ListBackup's users, accounts, memberships, sessions, activities and notifications."""

from systems.tests.mutants.mutation import Mutation

SERVICE = "listbackup/service/"
SECURITY = "systems/tests/listbackup/test_account_security.py::"
WITHDRAWN = "systems/tests/listbackup/test_withdrawn_rights.py::"
SESSIONS = "systems/tests/listbackup/test_sessions_and_mfa.py::"

ACCOUNT_MUTATIONS: tuple[Mutation, ...] = (
    # Authorization
    Mutation(
        "a role without permissions gives stored rights back",
        SERVICE + "memberships.py",
        "    granted = permissions or Permissions()\n",
        "    granted = permissions or before.permissions\n",
    ),
    Mutation(
        "members grant rights that they do not have",
        SERVICE + "memberships.py",
        "    access = require_can_grant(db, access, granted, role)\n",
        "",
    ),
    Mutation(
        "a right that is withdrawn during a request is granted",
        SERVICE + "access.py",
        "            access = access.using(ground)\n",
        "",
        (WITHDRAWN + "test_member_cannot_grant_a_right_that_is_withdrawn",),
    ),
    Mutation(
        "an access token of an ended session starts another one",
        SERVICE + "sessions.py",
        "    _refuse_access_token(db, caller)\n",
        "",
        (SESSIONS + "test_an_access_token_of_a_session_starts_no_other_session",),
    ),
    Mutation(
        "the check of an item that is written is left out",
        SERVICE + "access.py",
        "                checked[index] = _joined(checked[index], check)\n",
        "                pass\n",
        (WITHDRAWN + "test_member_cannot_restore_the_own_permissions_that_are_withdrawn",),
    ),
    Mutation(
        "members appoint admins",
        SERVICE + "memberships.py",
        "    require_rank(access, before.role, role)\n",
        "",
    ),
    Mutation(
        "owners choose their plan",
        SERVICE + "limits.py",
        "        require_admin(db, caller)\n    before",
        "        pass\n    before",
    ),
    Mutation(
        "any user is a platform admin",
        SERVICE + "access.py",
        "    if user is None or user.role is not UserRole.ADMIN:\n",
        "    if user is None:\n",
    ),
    Mutation(
        "a read-only user founds accounts",
        SERVICE + "accounts.py",
        "    if user.role is UserRole.READONLY:\n        raise",
        "    if False:\n        raise",
    ),
    Mutation(
        "admins of an account move it",
        SERVICE + "hierarchy.py",
        "    access = require_role(db, caller, account_id, AccountRole.OWNER)\n",
        "    access = require_role(db, caller, account_id, AccountRole.OWNER, AccountRole.ADMIN)\n",
    ),
    Mutation(
        "billing information is in the activities of every reader",
        SERVICE + "activities.py",
        "if not has_right(db, access, area, Right.READ)]",
        "if False]",
    ),
    Mutation(
        "users of other accounts are found by username",
        SERVICE + "memberships.py",
        "    require_member(db, caller, account_id)\n    user = db.run(UserByUsername",
        "    user = db.run(UserByUsername",
        (SECURITY + "test_usernames_of_other_accounts_cannot_be_probed",),
    ),
    # Sessions and the second factor
    Mutation(
        "sign-in does not ask for the second factor",
        SERVICE + "sessions.py",
        "_second_factor(db, user, code) if user.mfa_enabled else ({}, _NO_MFA)",
        "({}, _mfa_is(user.mfa_enabled))",
    ),
    Mutation(
        "a refresh never asks for the second factor",
        SERVICE + "sessions.py",
        "    return proved is None or db.now() - proved >= SECOND_FACTOR_LIFETIME\n",
        "    return False\n",
    ),
    Mutation(
        "a code of the second factor works again",
        SERVICE + "mfa.py",
        "range(max(current - 1, (user.mfa_last_step or 0) + 1), current + 2)",
        "range(current - 1, current + 2)",
    ),
    Mutation(
        "two requests at once use one code",
        SERVICE + "mfa.py",
        "        _unchanged(counted) & (User.mfa_last_step == user.mfa_last_step),\n",
        "        User.user_id == user.user_id,\n",
        (SESSIONS + "test_a_code_is_used_up_in_the_transaction_of_the_sign_in",),
    ),
    Mutation(
        "the first factor alone opens an account with a second one",
        SERVICE + "access.py",
        "    if user.mfa_enabled and not has_second_factor(caller):\n",
        "    if False:\n",
    ),
    Mutation(
        "a reused refresh token does not end the session",
        SERVICE + "sessions.py",
        "    _revoke_family(db, family, used.user_id, REUSED)\n",
        "",
    ),
    Mutation(
        "an expired refresh token is accepted",
        SERVICE + "sessions.py",
        "    if used is None or used.expires_at <= db.now():\n",
        "    if used is None:\n",
    ),
    # Limits, expiry and deletion
    Mutation(
        "the limit of users is ignored",
        SERVICE + "invitations.py",
        "        limits.use(access.account, users=1),\n",
        "        limits.use(access.account.changed(limits=limits.LIMITS[limits.Plan.ENTERPRISE]), owners=0),\n",
    ),
    Mutation(
        "the last owner leaves",
        SERVICE + "limits.py",
        "    if owners < 0:\n",
        "    if owners < -99:\n",
    ),
    Mutation(
        "an expired invitation is accepted",
        SERVICE + "invitations.py",
        "    if _has_expired(db, offered):\n        raise GONE\n",
        "",
    ),
    Mutation(
        "the owner of a closed account keeps it as the primary one",
        SERVICE + "closing.py",
        "        *replace_primary_account(db, caller.user_id, account_id),\n",
        "",
        (SECURITY + "test_an_owner_who_closes_the_only_account_founds_a_new_one",),
    ),
    Mutation(
        "members of V1 accounts get no owner",
        "listbackup/v1.py",
        '            wanted[owner, row["accountId"]] = AccountRole.OWNER\n',
        "            pass\n",
    ),
    Mutation(
        "announcements reach every member",
        SERVICE + "alerts.py",
        "            if member.role in announcement.roles\n",
        "",
    ),
    Mutation(
        "the tables are encrypted with the key that DynamoDB owns",
        "listbackup/design/vocabulary.py",
        'AWS_MANAGED_KEY = "alias/aws/dynamodb"',
        "AWS_MANAGED_KEY = None",
    ),
)
