"""Mutations of CollabHub."""

from systems.tests.mutants.mutation import Mutation

_USERS = "collabhub/service/users.py"
_ACCESS = "collabhub/service/access.py"
_APPLICATIONS = "collabhub/service/applications.py"
_CONVERSATIONS = "collabhub/service/conversations.py"
_MESSAGES = "collabhub/service/messages.py"
_NOTIFICATIONS = "collabhub/service/notifications.py"
_PERMISSIONS = "collabhub/service/permissions.py"
_STARTUPS = "collabhub/service/startups.py"
_VIEWS = "collabhub/service/startups.py"
_STRIPE = "collabhub/service/subscriptions.py"
_SUBSCRIPTIONS = "collabhub/service/subscriptions.py"
_AUDIT = "collabhub/service/audit.py"
_TESTS = "systems/tests/collabhub"

MUTATIONS: tuple[Mutation, ...] = (
    Mutation(
        "a token with another verified address activates an account",
        _USERS,
        'if is_own and fold_email(caller.email or "") != user.email:',
        "if False:",
    ),
    Mutation(
        "the end of a ban activates users who never verified",
        _USERS,
        "after = user.status_before_ban or UserStatus.PENDING_VERIFICATION",
        "after = UserStatus.ACTIVE",
    ),
    Mutation(
        "any user changes roles",
        _USERS,
        '    """Change a user\'s role. For administrators."""\n    require_admin(db, caller)\n',
        '    """Change a user\'s role. For administrators."""\n',
    ),
    Mutation(
        "any user registers as an administrator",
        _USERS,
        'if draft.role == Role.ADMIN and "admin" not in caller.roles:',
        "if False:",
    ),
    Mutation(
        "writes do not check that the caller is active",
        _PERMISSIONS,
        "    condition = design.User.status == UserStatus.ACTIVE\n",
        "    condition = design.User.user_id == caller.user_id\n",
    ),
    Mutation(
        "any role opens roles, applies and requests access",
        _PERMISSIONS,
        "        condition &= design.User.role == role\n",
        "        pass\n",
    ),
    Mutation(
        "banned users read on",
        _PERMISSIONS,
        "    if user is None or user.status != UserStatus.ACTIVE:\n",
        "    if user is None:\n",
    ),
    Mutation(
        "banned users are notified",
        _PERMISSIONS,
        "return {user.user_id for user in users if user.status == UserStatus.ACTIVE}",
        "return {user.user_id for user in users}",
    ),
    Mutation(
        "banned administrators get replies",
        _PERMISSIONS,
        "if user is not None and user.status == UserStatus.BANNED:",
        "if False:",
        (f"{_TESTS}/test_bans.py::test_every_endpoint_refuses_a_banned_user",),
    ),
    Mutation(
        "any founder decides about any startup",
        _PERMISSIONS,
        "    if startup.founder_id != caller.user_id:\n",
        "    if False:\n",
    ),
    Mutation(
        "any founder changes the visibility of any startup",
        _STARTUPS,
        "        if startup.founder_id != caller.user_id:\n",
        "        if False:\n",
    ),
    Mutation(
        "founders approve their own startups",
        _STARTUPS,
        "    require_admin(db, caller)\n    change = _to(StartupStatus.ACTIVE",
        "    change = _to(StartupStatus.ACTIVE",
    ),
    Mutation(
        "the pitch deck is public",
        _VIEWS,
        "return startup if has_deck else startup.changed(pitch_deck_url=None)",
        "return startup",
    ),
    Mutation(
        "only recent ends of access are swept",
        "collabhub/design/access.py",
        'key = "GSI5PK = DUE#ACCESS AND GSI5SK <= {until}#~"',
        'key = "GSI5PK = DUE#ACCESS#{until:%Y-%m-%d} AND GSI5SK <= {until}#~"',
    ),
    Mutation(
        "cancelled plans never end",
        _SUBSCRIPTIONS,
        "lambda subscription: _end(run.db, subscription)",
        "lambda subscription: False",
    ),
    Mutation(
        "one plan that cannot be ended keeps all others alive",
        "service/jobs.py",
        "                failure = error\n",
        "                raise\n",
        tests=(
            "systems/tests/collabhub/test_jobs.py::test_rows_that_cannot_be_ended_do_not_keep_others_from_it",
        ),
    ),
    Mutation(
        "a running plan ends when it is cancelled",
        _SUBSCRIPTIONS,
        "design.SubscriptionsDue(until=run.db.now())",
        "design.SubscriptionsDue(until=run.db.now().replace(year=9000))",
    ),
    Mutation(
        "an approval ends in the past",
        _ACCESS,
        "    if expires_at is not None and expires_at <= now:\n",
        "    if False:\n",
    ),
    Mutation(
        "investors revoke access of others",
        _ACCESS,
        "    request = _request(db, access_id)\n    own_startup(db, caller, request.startup_id)\n",
        "    request = _request(db, access_id)\n",
    ),
    Mutation(
        "applicants read the founder's notes",
        _APPLICATIONS,
        "return application.changed(founder_notes=None) if is_own else application",
        "return application",
    ),
    Mutation(
        "a withdrawn application is still counted",
        _APPLICATIONS,
        "writes.Add(_role_of(application), applicant_count=-1)",
        "writes.Add(_role_of(application), applicant_count=0)",
    ),
    Mutation(
        "closed roles get applications",
        _APPLICATIONS,
        "when=is_open.one_of(True) & is_listed.one_of(True),",
        "when=is_open.one_of(True, False) & is_listed.one_of(True, False),",
    ),
    Mutation(
        "any participant removes any other from a group",
        _CONVERSATIONS,
        "    if owner != caller.user_id:\n",
        "    if False:\n",
    ),
    Mutation(
        "groups about applications of others",
        _CONVERSATIONS,
        "    if caller.user_id not in parties:\n",
        "    if False:\n",
        (f"{_TESTS}/test_conversation_rules.py::test_a_conversation_about_an_application_is_of_its_parties",),
    ),
    Mutation(
        "other users read conversations",
        _MESSAGES,
        "    if caller.user_id not in conversation.participants:\n",
        "    if False:\n",
    ),
    Mutation(
        "earlier messages stay unread",
        _MESSAGES,
        "seat.last_read_message_id >= message.message_id",
        "seat.last_read_message_id == message.message_id",
    ),
    Mutation(
        "notifications beyond one transaction are lost",
        _MESSAGES,
        "    return [writes.Create(notice)]\n",
        "    return []\n",
        (
            f"{_TESTS}/test_message_notifications.py::test_no_notification_is_lost_or_doubled_when_a_batch_fails",
        ),
    ),
    Mutation(
        "a delivery that is repeated notifies again",
        _NOTIFICATIONS,
        "range(int(notice.position or 0), len(notice.recipients), BATCH)",
        "range(0, len(notice.recipients), BATCH)",
        (
            f"{_TESTS}/test_message_notifications.py::test_no_notification_is_lost_or_doubled_when_a_batch_fails",
        ),
    ),
    Mutation(
        "forged events are applied",
        _STRIPE,
        "any(hmac.compare_digest(one.encode(), other.encode()) for one in expected for other in signatures)",
        "True",
    ),
    Mutation(
        "old deliveries are replayed",
        _STRIPE,
        "    if abs(now.timestamp() - int(times[0])) > TOLERANCE.total_seconds():\n",
        "    if False:\n",
    ),
    Mutation(
        "users set their own Stripe customer",
        _SUBSCRIPTIONS,
        '    caller.require_role("webhook", "admin")\n',
        "",
    ),
    Mutation(
        "old events replace the current state",
        _SUBSCRIPTIONS,
        "is_stale = event.order < current.last_event or is_end_of_other or is_replaced",
        "is_stale = is_end_of_other or is_replaced",
    ),
    Mutation(
        "any user reads the audit log of others",
        _AUDIT,
        "        active_user(db, caller)\n    else:\n        require_admin(db, caller)\n",
        "        active_user(db, caller)\n",
    ),
    Mutation(
        "edits of startups are not in the log",
        _STARTUPS,
        '            audit_entry(db, caller, "STARTUP_EDITED", "STARTUP", startup_id, {"fields": sorted(values)}),\n',
        "",
    ),
    Mutation(
        "any user reads the access request of another user",
        _ACCESS,
        "    if caller.user_id not in (request.requester_id, request.founder_id):",
        "    if False:",
    ),
    Mutation(
        "access to a draft is requested",
        _ACCESS,
        "    if startup.status != design.StartupStatus.ACTIVE:",
        "    if False:",
    ),
    Mutation(
        "a founder withdraws the application of a talent",
        _APPLICATIONS,
        "    if application.applicant_id != caller.user_id:",
        "    if False:",
    ),
    Mutation(
        "a founder sets the status WITHDRAWN",
        _APPLICATIONS,
        "    if status not in PREVIOUS_STATUSES or status == ApplicationStatus.WITHDRAWN:",
        "    if status not in PREVIOUS_STATUSES:",
    ),
    Mutation(
        "any user reads the log of a time range",
        _AUDIT,
        "    require_admin(db, caller)\n    if not timedelta(0) <= end - start <= MAX_RANGE:",
        "    if not timedelta(0) <= end - start <= MAX_RANGE:",
    ),
    Mutation(
        "any user lists what was created",
        _AUDIT,
        "    require_admin(db, caller)\n    if not timedelta(0) <= end - start <= MAX_OVERVIEW:",
        "    if not timedelta(0) <= end - start <= MAX_OVERVIEW:",
    ),
    Mutation(
        "founders return startups to draft",
        _STARTUPS,
        "    require_admin(db, caller)\n    change = _to(StartupStatus.DRAFT",
        "    change = _to(StartupStatus.DRAFT",
    ),
    Mutation(
        "any user lists the startups of a founder",
        _VIEWS,
        "        active_user(db, caller)\n    else:\n        require_admin(db, caller)\n",
        "        active_user(db, caller)\n",
    ),
    Mutation(
        "any user lists the review queue",
        _VIEWS,
        "    require_admin(db, caller)\n    lists =",
        "    lists =",
    ),
    Mutation(
        "any user lists the startups for investors",
        _VIEWS,
        "    active_user(db, caller, Role.INVESTOR, Role.ADMIN)\n",
        "    active_user(db, caller)\n",
    ),
    Mutation(
        "a conversation is started with a user who does not exist",
        _CONVERSATIONS,
        "        _require_active(db, [user_id])\n",
        "",
    ),
    Mutation(
        "a group has participants who do not exist",
        _CONVERSATIONS,
        "application_id, participants)\n    _require_active(db, participants)\n",
        "application_id, participants)\n",
    ),
    Mutation(
        "any user starts a group about an application",
        _CONVERSATIONS,
        "    if caller.user_id not in parties:",
        "    if False:",
    ),
    Mutation(
        "a group about an application lacks one of its parties",
        _CONVERSATIONS,
        "    if not parties <= set(participants):",
        "    if False:",
    ),
    Mutation(
        "a third user is added to a direct conversation",
        _CONVERSATIONS,
        "    if conversation.type == ConversationType.DIRECT:\n        raise Conflict",
        "    if False:\n        raise Conflict",
    ),
    Mutation(
        "any user lists users by status",
        _USERS,
        "    require_admin(db, caller)\n    return paging",
        "    return paging",
        tests=(f"{_TESTS}/test_api.py::test_only_administrators_use_the_paths_of_administrators",),
    ),
    Mutation(
        "any user finds users by address",
        _USERS,
        "    require_admin(db, caller)\n    return require_found",
        "    return require_found",
        tests=(f"{_TESTS}/test_api.py::test_only_administrators_use_the_paths_of_administrators",),
    ),
    Mutation(
        "any user lists all subscriptions",
        _SUBSCRIPTIONS,
        "    require_admin(db, caller)\n    return design.SubscriptionsByStatus",
        "    return design.SubscriptionsByStatus",
        tests=(f"{_TESTS}/test_api.py::test_only_administrators_use_the_paths_of_administrators",),
    ),
    Mutation(
        "any user finds the subscription of a customer",
        _SUBSCRIPTIONS,
        "    require_admin(db, caller)\n    subscription =",
        "    subscription =",
        tests=(f"{_TESTS}/test_api.py::test_only_administrators_use_the_paths_of_administrators",),
    ),
)
