"""Mutations of ListBackup's jobs, worker and archives."""

from systems.tests.mutants.mutation import Mutation

_ARCHIVES = "listbackup/service/archives.py"
_BACKUPS = "listbackup/service/backups.py"
_RETENTION = "listbackup/service/retention.py"
_TESTS = "systems/tests/listbackup"

WORKER_MUTATIONS = (
    Mutation(
        "members without the right to export download backups",
        _BACKUPS,
        "    access = require_right(db, caller, account_id, Area.REPORTS, Right.EXPORT)\n    archive = archives",
        "    access = require_right(db, caller, account_id, Area.SOURCES, Right.READ)\n    archive = archives",
    ),
    Mutation(
        "members without the right to delete delete backups",
        _BACKUPS,
        "Area.SOURCES, Right.DELETE",
        "Area.SOURCES, Right.READ",
    ),
    Mutation(
        "the base of an incremental backup is deleted before it",
        _ARCHIVES,
        "when=Archive.dependents == 0",
        "when=Archive.dependents >= 0",
    ),
    Mutation(
        "stored chunks do not count towards the storage",
        _ARCHIVES,
        "limits.use(account, storage=entry.size)",
        "limits.use(account, storage=1)",
    ),
    Mutation(
        "a backup grows beyond the storage of the plan",
        "listbackup/service/limits.py",
        "if account.storage_used + size > account.limits.storage:",
        "if account.storage_used > account.limits.storage + size:",
        tests=(
            f"{_TESTS}/worker/test_worker.py::test_a_backup_beyond_the_storage_limit_stops_with_a_clear_reason",
        ),
    ),
    Mutation(
        "deleted backups stay in the storage",
        _ARCHIVES,
        'storage=-row["size"]',
        "owners=0",
        tests=(f"{_TESTS}/service/test_backups.py::test_the_base_of_a_backup_cannot_be_deleted_before_it",),
    ),
    Mutation(
        "paused sources are backed up",
        "listbackup/service/syncs.py",
        "    if source.status is not SourceStatus.ACTIVE:\n        raise Conflict(",
        "    if source.status is None:\n        raise Conflict(",
    ),
    Mutation(
        "jobs of sources that were paused later still run",
        "listbackup/service/syncs.py",
        '        if source.status is not SourceStatus.ACTIVE:\n            return f"source',
        '        if source.status is None:\n            return f"source',
        tests=(
            f"{_TESTS}/worker/test_worker.py::test_jobs_of_paused_and_deleted_sources_are_rejected_and_cancelled",
        ),
    ),
    Mutation(
        "backups are restored to sources of other platforms",
        "listbackup/service/jobs.py",
        "if platform is not None and platform != target.platform:",
        "if platform is None:",
        tests=(f"{_TESTS}/service/test_jobs.py",),
    ),
    Mutation(
        "the worker does not compare the platforms of a restore",
        "listbackup/worker/job_kinds.py",
        "    require_same_platform(archive.platform, work.source())\n",
        "",
        tests=(f"{_TESTS}/worker/test_job_kinds.py",),
    ),
    Mutation(
        "records of another source overwrite those with their ids",
        "listbackup/worker/job_kinds.py",
        "    is_foreign = archive.source_id is not None and archive.source_id != target.source_id\n",
        "    is_foreign = False\n",
        tests=(f"{_TESTS}/worker/test_job_kinds.py",),
    ),
    Mutation(
        "a record that the filter excludes now stays in incremental backups",
        "listbackup/worker/job_kinds.py",
        "{} if archive.base_archive_id is not None else archive.filters",
        "archive.filters",
        tests=(f"{_TESTS}/worker/test_job_kinds.py",),
    ),
    Mutation(
        "kills of workers that made progress fail the job",
        "listbackup/service/queue.py",
        "job.retry_count if reached == job.checkpoint else 0",
        "job.retry_count",
        tests=(f"{_TESTS}/worker/test_worker.py",),
    ),
    Mutation(
        "a damaged backup is downloaded in part",
        "listbackup/service/backups.py",
        "        reader.require_undamaged(data_type)",
        "        pass",
        tests=(f"{_TESTS}/service/test_backups.py",),
    ),
    Mutation(
        "failed records beyond the listed ones are not counted",
        "listbackup/service/queue.py",
        "    failed = max(failed, len(failures))\n",
        "    failed = len(failures)\n",
        tests=(f"{_TESTS}/worker/test_job_kinds.py",),
    ),
    Mutation(
        "a worker that lost its lease changes the job",
        "listbackup/service/queue.py",
        "job.lease_id == claimed.lease_id and job.worker_id == caller.user_id",
        "job.worker_id is not None",
    ),
    Mutation(
        "an incremental backup leaves out what changed",
        "listbackup/worker/job_kinds.py",
        "since=base.created_at - OVERLAP",
        "since=work.db.now() + OVERLAP",
    ),
    Mutation(
        "a damaged chunk is not noticed by its checksum",
        "listbackup/archives/files.py",
        "if sha256(data).hexdigest() != entry.sha256:",
        "if not data:",
        tests=(f"{_TESTS}/archives/test_files.py::test_a_damaged_chunk_is_reported_by_its_checksum",),
    ),
    Mutation(
        "chunks of an archive can be swapped",
        "listbackup/archives/files.py",
        'return f"{self._archive_id}\\n{number}\\n{data_type}".encode()',
        "return b''",
        tests=(f"{_TESTS}/archives/test_files.py",),
    ),
    Mutation(
        "a manifest can be changed",
        "listbackup/archives/files.py",
        "if not hmac.compare_digest(data, self._signed(text)):",
        "if not text:",
        tests=(f"{_TESTS}/archives/test_files.py",),
    ),
    Mutation(
        "any user runs retention",
        _RETENTION,
        '    require_staff(caller, "worker")\n',
        "",
    ),
    Mutation(
        "retention of the plan is ignored",
        _RETENTION,
        "    kept = RETENTION[get_account(db, account_id).plan]",
        "    kept = timedelta(days=36500)",
        tests=(f"{_TESTS}/service/test_retention.py::test_a_backup_is_kept_as_long_as_the_plan_allows",),
    ),
    Mutation(
        "the newest backup of a source is deleted",
        _RETENTION,
        'if row["dependents"] or _is_newest(db, source, archive_id):',
        'if row["dependents"]:',
        tests=(f"{_TESTS}/service/test_retention.py::test_a_backup_is_kept_as_long_as_the_plan_allows",),
    ),
    Mutation(
        "a backup of some records replaces the newest one of all",
        _RETENTION,
        "for archive in (newest, whole) if archive is not None]",
        "for archive in (newest,) if archive is not None]",
        tests=(f"{_TESTS}/service/test_retention.py",),
    ),
    Mutation(
        "archives of closed accounts stay",
        "listbackup/service/closing.py",
        "    _expire_archives,\n",
        "",
        tests=(f"{_TESTS}/service/test_retention.py",),
    ),
    Mutation(
        "a spreadsheet runs formulas of platforms",
        "listbackup/service/user_files.py",
        "text.startswith(_FORMULA) else text",
        "text.startswith(_FORMULA[5:]) else text",
        tests=(f"{_TESTS}/service/test_user_files.py",),
    ),
)
