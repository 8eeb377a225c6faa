"""Which tests run first: a long test that starts last would keep one process waiting for the other."""

FIRST = (
    "tests/console/browser/",
    "tests/typing/test_type_checkers.py",
    "systems/tests/verification/test_proofs.py",
    "systems/tests/commands/test_up.py",
    "systems/tests/web/test_schemathesis.py",
    "tests/cli/commands/test_init.py",
    "tests/console/test_page_types.py",
    "tests/engine/features/backups/test_model.py",
    "tests/fuzz/",
    "tests/lifecycle/migrate/",
    "tests/lifecycle/move/",
    "tests/server/",
)
"""Where the first tests are, by the beginning of their names."""
