"""Mutations of Student Hub."""

from tests.mutants.mutation import Mutation

MUTATIONS = (
    Mutation(
        "any user lists all users",
        "student_hub/service/administration.py",
        'require(caller, "admin")\n    page',
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
        ", *([profile] if profile else [])]",
        "]",
    ),
    Mutation(
        "feedback has no limit",
        "student_hub/service/feedback.py",
        "used < MAX_PER_HOUR",
        "used >= 0",
    ),
    Mutation(
        "any user reads the feedback of another user",
        "student_hub/service/feedback.py",
        "    require_self_or_admin(caller, user_id)\n",
        "",
    ),
)
