"""Mutations of Student Hub."""

from tests.mutants.mutation import Mutation

MUTATIONS = (
    Mutation(
        "any user lists all users",
        "student_hub/service/administration.py",
        'caller.require_role("admin")\n    page',
        "page",
    ),
    Mutation(
        "any user erases another user",
        "student_hub/service/administration.py",
        "    require_self_or_admin(caller, user_id)\n",
        "",
    ),
    Mutation(
        "an erased user keeps the profile",
        "student_hub/service/administration.py",
        ", *deadlines, *profiles]",
        ", *deadlines]",
    ),
    Mutation(
        "feedback has no limit",
        "student_hub/service/feedback.py",
        "transact(db, writes.Create(feedback), counted)",
        "transact(db, writes.Create(feedback))",
    ),
    Mutation(
        "any user reads the feedback of another user",
        "student_hub/service/feedback.py",
        "    require_self_or_admin(caller, user_id)\n",
        "",
    ),
)
