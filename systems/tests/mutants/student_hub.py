"""Mutations of Student Hub."""

from systems.tests.mutants.mutation import Mutation

SERVICE = "student_hub/service/"
RACES = "systems/tests/student_hub/test_races.py::"

MUTATIONS = (
    # Authorization
    Mutation(
        "any user lists all users",
        SERVICE + "administration.py",
        '    caller.require_role("admin")\n    page',
        "    page",
    ),
    Mutation(
        "any user counts all users",
        SERVICE + "administration.py",
        '    caller.require_role("admin")\n    return sum',
        "    return sum",
    ),
    Mutation(
        "any user erases another user",
        SERVICE + "administration.py",
        "    require_self_or_admin(caller, user_id)\n",
        "",
    ),
    Mutation(
        "any user has the rights of an administrator",
        SERVICE + "inputs.py",
        "if caller.user_id != user_id:",
        "if not caller.user_id:",
    ),
    Mutation(
        "any user reads feedback by date",
        SERVICE + "feedback.py",
        '    caller.require_role("admin")\n    if not',
        "    if not",
    ),
    Mutation(
        "any user reads one feedback entry",
        SERVICE + "feedback.py",
        '    caller.require_role("admin")\n    return db.get_or_raise',
        "    return db.get_or_raise",
    ),
    Mutation(
        "any user reads the feedback of another user",
        SERVICE + "feedback.py",
        "    require_self_or_admin(caller, user_id)\n",
        "",
    ),
    Mutation(
        "any user sends reminders",
        SERVICE + "reminders.py",
        '    caller.require_role("worker")\n    tally',
        "    tally",
    ),
    Mutation(
        "any user lists the deadlines of all users",
        SERVICE + "reminders.py",
        '    caller.require_role("worker")\n    return DeadlinesDueOn',
        "    return DeadlinesDueOn",
    ),
    Mutation(
        "any user claims reminders",
        SERVICE + "reminders.py",
        '    caller.require_role("worker")\n    return list',
        "    return list",
    ),
    Mutation(
        "any user confirms reminders",
        SERVICE + "reminders.py",
        '    caller.require_role("worker")\n    return _end_claim(db, claim, is_sent=True)',
        "    return _end_claim(db, claim, is_sent=True)",
    ),
    Mutation(
        "a worker ends the claim of another worker",
        SERVICE + "reminders.py",
        "when=Deadline.reminder_claim == claim.claim",
        "when=None",
    ),
    Mutation(
        "a student deletes the deadline of another student",
        SERVICE + "deadlines.py",
        '    db.delete(pattern, otherwise=NotFound(f"deadline {deadline_id}"))',
        "    db.delete(pattern)",
    ),
    # Limits
    Mutation(
        "feedback has no limit",
        SERVICE + "feedback.py",
        "transact(db, writes.Create(feedback), counted)",
        "transact(db, writes.Create(feedback))",
    ),
    Mutation(
        "all senders share one limit",
        SERVICE + "feedback.py",
        "sender=sha256(sender.encode())",
        "sender=sha256(b'')",
    ),
    Mutation(
        "the limit of an hour lasts for a day",
        SERVICE + "feedback.py",
        "20, timedelta(hours=1)",
        "20, timedelta(days=1)",
    ),
    Mutation(
        "a range of feedback may end before it starts",
        SERVICE + "feedback.py",
        "if not timedelta(0) <= end - start <= MAX_RANGE",
        "if not end - start <= MAX_RANGE",
    ),
    Mutation(
        "texts have no maximum length",
        "student_hub/design.py",
        "if len(text.encode()) > size:",
        "if len(text.encode()) < 0:",
    ),
    # Expiry and reminders
    Mutation(
        "a reminder is sent again in every round",
        SERVICE + "reminders.py",
        'set={"reminder_sent_at": db.now()} if is_sent else {}',
        "set={}",
    ),
    Mutation(
        "a quiet deadline is reminded of",
        "student_hub/design.py",
        'when={"send_reminder": True, "reminder_sent_at": None}',
        'when={"reminder_sent_at": None}',
    ),
    Mutation(
        "a moved deadline is not reminded of again",
        SERVICE + "deadlines.py",
        "remove=_REMINDED if is_moved else ()",
        "remove=()",
    ),
    Mutation(
        "the claim of a dead worker never ends",
        SERVICE + "reminders.py",
        "(until is None or until <= db.now())",
        "until is None",
        tests=(RACES + "test_claim_of_a_dead_worker_expires",),
    ),
    Mutation(
        "the document's own deadlines are not reminded of",
        SERVICE + "adoption.py",
        "adopted += _is_added(db, deadline)",
        "adopted += 1",
    ),
    Mutation(
        "the document's own feedback is not found by date",
        SERVICE + "adoption.py",
        '        db.update(entry, set={"created_at": entry.created_at})\n',
        "",
    ),
    # Deletion
    Mutation(
        "an erased user keeps the profile",
        SERVICE + "administration.py",
        ", *deadlines, *profiles]",
        ", *deadlines]",
    ),
    Mutation(
        "an erased user keeps the feedback",
        SERVICE + "administration.py",
        "[*feedback, *steps",
        "[*steps",
    ),
    Mutation(
        "an empty text stays in the profile",
        SERVICE + "inputs.py",
        "value.strip() or None if",
        "value.strip() if",
    ),
    # Migration and conditions
    Mutation(
        "the migration writes 1 everywhere",
        "student_hub/migrations.py",
        'return item | {name: value, "budgetCurrency": currency}',
        'return item | {name: Decimal(1), "budgetCurrency": currency}',
    ),
    Mutation(
        "the migration guesses the first amount of a range",
        "student_hub/migrations.py",
        "match = _AMOUNT.fullmatch(text.strip())",
        'match = _AMOUNT.fullmatch(text.strip().partition("-")[0])',
    ),
    Mutation(
        "completing a step again changes its time",
        SERVICE + "progress.py",
        '{"completed": True, "completed_at": db.now()}, _NOT_COMPLETED',
        '{"completed": True, "completed_at": db.now()}, None',
    ),
    Mutation(
        "a deadline is overwritten by another draft with its ID",
        SERVICE + "deadlines.py",
        "            raise\n        return stored",
        "            return db.put(deadline)\n        return stored",
    ),
    Mutation(
        "a stored value outside the list makes a profile unreadable",
        "service/stored_values.py",
        "        if isinstance(value, _PLAIN):\n            return value\n        raise",
        "        raise",
    ),
)
