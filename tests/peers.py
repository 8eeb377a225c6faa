"""`make peers`: the tests of access, deployments, migrations, integrity and the console on servers of others.

    make bench-peers && make peers

What claims to work on any endpoint is run on DynamoDB Local, dynoxide and moto. `KNOWN` has the tests that fail because
of the peer, with the reason; any other failure is ours.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.wire.contestants import CONTESTANTS, Running

TESTS = (
    ("tests/access", "-k", "http and not awaited"),
    ("tests/lifecycle", "-k", "server"),
    ("tests/console/items", "tests/console/test_hostile_items.py", "-k", "endpoint"),
)
OPTIONS = ("-n", "2", "-q", "-p", "no:cacheprovider")
_NO_BACKUPS = "has no backups, so that no table is replaced"
_NO_RECOVERY = "has no point-in-time recovery"
_LACKS_SETTINGS = "lacks some of the settings, or does not show them"
_TRAILING_ZEROS = "keeps trailing zeros of numbers"
KNOWN = {
    "DynamoDB Local 1.25": {
        "test_a_changed_key_replaces_the_table_only_if_allowed": _NO_BACKUPS,
        "test_a_protected_table_is_not_deleted_by_the_deployment_that_ends_its_protection": _NO_BACKUPS,
        "test_history_is_not_destroyed_unsaid": _NO_RECOVERY,
        "test_settings_are_changed_and_left_alone_when_not_stated": _LACKS_SETTINGS,
        "test_an_item_is_converted_with_its_version": _TRAILING_ZEROS,
    },
    "dynoxide": {
        "test_a_changed_key_replaces_the_table_only_if_allowed": _NO_BACKUPS,
        "test_a_protected_table_is_not_deleted_by_the_deployment_that_ends_its_protection": _NO_BACKUPS,
        "test_history_is_not_destroyed_unsaid": _NO_RECOVERY,
        "test_settings_are_changed_and_left_alone_when_not_stated": _LACKS_SETTINGS,
        "test_a_change_is_stored_and_returned": "pads a list with NULL when an element beyond its end is set",
        "test_several_changes_see_the_old_values": "pads a list with NULL when an element beyond its end is set",
    },
    "moto": {
        "test_a_page_ends_after_ten_requests_that_match_nothing": "stops a page before a filter has matched",
        "test_a_page_reports_consumed_capacity": "counts capacity in other units",
        "test_a_page_reads_no_more_than_it_needs": "counts capacity in other units",
        "test_a_chained_page_reads_one_list_after_the_other": "counts capacity in other units",
        "test_concurrent_upserts_create_once_and_update_otherwise": "loses some concurrent updates",
        "test_filters": "fails with status 500 on size() of an absent attribute",
        "test_an_item_is_converted_with_its_version": _TRAILING_ZEROS,
        "test_settings_are_changed_and_left_alone_when_not_stated": _LACKS_SETTINGS,
        "test_endpoint_repairs_and_bulk_changes": "fails with status 500 on a parallel scan of binary keys",
    },
}


def main() -> int:
    """Run the tests on each peer that is installed; return 1 if one fails for an unknown reason."""
    unknown = 0
    for contestant in CONTESTANTS:
        if contestant.name not in KNOWN:
            continue
        if absence := contestant.absence():
            print(f"{contestant.name}: left out, {absence}")
            continue
        with tempfile.TemporaryDirectory() as folder, Running(contestant, Path(folder)) as peer:
            runs = [_run("http://{}:{}".format(*peer.address), tests) for tests in TESTS]
        reasons = KNOWN[contestant.name]
        for (folder_name, *_), (summary, failed) in zip(TESTS, runs, strict=True):
            print(f"{contestant.name}, {folder_name}: {summary}")
            for name in failed:
                print(f"  {name}: {reasons.get(name, 'NOT KNOWN')}")
            unknown += sum(name not in reasons for name in failed)
    return 1 if unknown else 0


def _run(endpoint: str, tests: tuple[str, ...]) -> tuple[str, list[str]]:
    """The last line of the run, and the names of the failed tests."""
    # Peers take any credentials, and the SDK asks for some.
    credentials = {
        "AWS_ACCESS_KEY_ID": "peer",
        "AWS_SECRET_ACCESS_KEY": "peer",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    run = subprocess.run(
        [sys.executable, "-m", "pytest", *tests, *OPTIONS],
        capture_output=True,
        text=True,
        env={**os.environ, **credentials, "TABLEWRIGHT_ENDPOINT": endpoint},
        check=False,
    )
    failed = re.findall(r"^(?:FAILED|ERROR) \S+::(\w+)", run.stdout, re.MULTILINE)
    if run.returncode not in (0, 1) or bool(run.returncode) != bool(failed):
        raise SystemExit(f"the tests could not be run:\n{run.stdout}{run.stderr}")
    return run.stdout.strip().splitlines()[-1], sorted(set(failed))


if __name__ == "__main__":
    sys.exit(main())
