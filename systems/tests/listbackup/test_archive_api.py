"""Archives over HTTP: a user backs up, lists, downloads, compares, verifies, restores and deletes."""

from datetime import timedelta

import pytest
from fastapi.testclient import TestClient
from tablewright_systems.listbackup.design.accounts import Account
from tablewright_systems.listbackup.development import FAKES
from tablewright_systems.listbackup.fakes.fake_platform import ACCOUNT, API_KEY
from tablewright_systems.listbackup.jobs import JOBS
from tablewright_systems.service import JobRun

from systems.tests.listbackup.api_client import ApiClient, NewOwner
from tablewright import Clock, Repository


@pytest.fixture
def ada(create_owner: NewOwner) -> tuple[ApiClient, Account]:
    return create_owner()


def run_job(db: Repository, name: str) -> None:
    next(job for job in JOBS if job.name == name).run(JobRun(db))


def new_source(person: ApiClient, account: Account, platform: str = "gohighlevel") -> str:
    source: str = person.call(
        "POST",
        f"/accounts/{account.account_id}/sources",
        201,
        sourceName="Shop",
        platform=platform,
        connectionType="apikey",
        credentials={"type": "apikey", "encryptedData": API_KEY},
        config={"dataTypes": ["contacts"]},
        platformAccount={"accountId": ACCOUNT},
    )["sourceId"]
    return source


def test_a_backup_is_made_used_and_deleted(
    db: Repository, clock: Clock, client: TestClient, ada: tuple[ApiClient, Account]
) -> None:
    person, account = ada
    base = f"/accounts/{account.account_id}"
    source = new_source(person, account)
    job = person.call("POST", f"{base}/jobs", 201, jobType="backup", sourceId=source)
    run_job(db, "worker")
    done = person.call("GET", f"{base}/jobs/{job['jobId']}")
    assert done["status"] == "completed", done
    old = person.call("GET", done["result"]["outputLocation"])
    assert old["counts"]["contacts"] == len(FAKES[db].gohighlevel.records["contacts"])
    assert "dataKey" not in old
    clock.advance(timedelta(hours=1))
    changed = min(FAKES[db].gohighlevel.records["contacts"])
    FAKES[db].gohighlevel.change("contacts", changed, firstName="Zenobia")
    person.call(
        "POST",
        f"{base}/jobs",
        201,
        jobType="backup",
        sourceId=source,
        config={"options": {"mode": "incremental"}},
    )
    run_job(db, "worker")
    new, _ = person.call("GET", f"{base}/sources/{source}/archives")["items"]
    assert [item["archiveId"] for item in person.call("GET", f"{base}/archives")["items"]] == [
        new["archiveId"],
        old["archiveId"],
    ]
    path = f"{base}/archives/{new['archiveId']}"
    reply = person.send("GET", f"{path}/files/contacts?format=csv")
    assert reply.headers["content-type"].startswith("text/csv")
    assert "Zenobia" in reply.text
    assert len(person.call("GET", f"{path}/files/contacts")) == old["counts"]["contacts"]
    result = person.call("GET", f"{path}/comparison?before={old['archiveId']}")["differences"]["contacts"]
    assert (result["changed"], result["changedIds"], result["added"], result["removed"]) == (
        1,
        [changed],
        0,
        0,
    )
    assert person.call("POST", f"{path}/verification")["problems"] == []
    person.call("POST", f"{base}/archives/{old['archiveId']}/restore", 201, sourceId=source)
    run_job(db, "worker")
    assert FAKES[db].gohighlevel.records["contacts"][changed]["firstName"] != "Zenobia"
    person.call("DELETE", f"{base}/archives/{old['archiveId']}", 409)
    person.call("DELETE", path, 204)
    person.call("DELETE", f"{base}/archives/{old['archiveId']}", 204)
    assert person.call("GET", f"{base}/archives")["items"] == []
    assert person.call("GET", base)["storageUsed"] == 0


def test_an_upload_is_imported(db: Repository, client: TestClient, ada: tuple[ApiClient, Account]) -> None:
    person, account = ada
    base = f"/accounts/{account.account_id}"
    source = new_source(person, account)
    known = min(FAKES[db].gohighlevel.records["contacts"])
    content = f"id,firstName\n{known},Zenobia\n"
    made = person.call("POST", f"{base}/archives", 201, dataType="contacts", format="csv", content=content)
    options = {"options": {"uploadId": made["archiveId"]}}
    person.call("POST", f"{base}/jobs", 201, jobType="import", sourceId=source, config=options)
    run_job(db, "worker")
    assert FAKES[db].gohighlevel.records["contacts"][known]["firstName"] == "Zenobia"
    assert person.send("POST", f"{base}/archives", dataType="../x", content="[]").status_code == 422
    assert person.send("POST", f"{base}/archives", dataType="contacts", content="[]").status_code == 422


def test_archives_of_other_accounts_are_forbidden(
    db: Repository, create_owner: NewOwner, ada: tuple[ApiClient, Account]
) -> None:
    person, account = ada
    eve, hers = create_owner()
    base = f"/accounts/{account.account_id}"
    person.call("POST", f"{base}/jobs", 201, jobType="export", sourceId=new_source(person, account))
    run_job(db, "worker")
    (export,) = person.call("GET", f"{base}/archives?kind=export")["items"]
    path = f"/archives/{export['archiveId']}"
    for method, rest in (
        ("GET", ""),
        ("GET", "/files/contacts"),
        ("POST", "/verification"),
        ("GET", f"/comparison?before={export['archiveId']}"),
        ("DELETE", ""),
    ):
        assert eve.send(method, f"{base}{path}{rest}").status_code == 403, (method, rest)
        assert eve.send(method, f"/accounts/{hers.account_id}{path}{rest}").status_code == 404, (method, rest)


def test_background_jobs_start_syncs_and_delete_what_has_expired(
    db: Repository, clock: Clock, client: TestClient, ada: tuple[ApiClient, Account]
) -> None:
    person, account = ada
    base = f"/accounts/{account.account_id}"
    source = new_source(person, account)
    run_job(db, "syncs")
    run_job(db, "worker")
    assert person.call("GET", f"{base}/sources/{source}")["lastSyncAt"] is not None
    person.call("POST", f"{base}/jobs", 201, jobType="export", sourceId=source)
    run_job(db, "worker")
    clock.advance(timedelta(days=8))
    run_job(db, "tokens")
    run_job(db, "retention")
    assert person.call("GET", f"{base}/archives?kind=export")["items"] == []
    assert len(person.call("GET", f"{base}/archives")["items"]) == 1


def test_a_restore_that_does_not_fit_is_rejected(db: Repository, ada: tuple[ApiClient, Account]) -> None:
    person, account = ada
    base = f"/accounts/{account.account_id}"
    source, other = new_source(person, account), new_source(person, account, "stripe")
    person.call("POST", f"{base}/jobs", 201, jobType="backup", sourceId=source)
    run_job(db, "worker")
    (backup,) = person.call("GET", f"{base}/archives")["items"]
    restore = f"{base}/archives/{backup['archiveId']}/restore"
    assert person.rejected_field("POST", restore, 422, sourceId=other) == "sourceId"
    misspelled = {"sourceId": source, "dataTypes": ["bananas"]}
    assert person.rejected_field("POST", restore, 422, **misspelled) == "dataTypes"
    job = {"jobType": "backup", "sourceId": source, "config": {"dataTypes": ["bananas"]}}
    assert person.rejected_field("POST", f"{base}/jobs", 422, **job) == "config.dataTypes"
    person.call("POST", restore, 201, sourceId=source, dataTypes=["contacts"])
