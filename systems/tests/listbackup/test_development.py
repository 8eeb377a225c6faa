"""Fakes of platforms belong to development: the API and the worker of production never load them."""

import subprocess
import sys

from fastapi.testclient import TestClient
from tablewright_systems.listbackup import api, development
from tablewright_systems.listbackup.platforms.platforms import platforms_for
from tablewright_systems.listbackup.proofs.fixtures import REDIRECT_URI, fake_platforms, new_owner
from tablewright_systems.web.authentication import LocalIssuer

from systems.tests.listbackup.api_client import ApiClient
from tablewright import Repository

BUILD_API = """
from tablewright import connect
from tablewright_systems.registry import find
from tablewright_systems.web.authentication import LocalIssuer
system = find("listbackup")
with connect(system.design, environment="main") as db:
    system.build(db, LocalIssuer()).openapi()
"""
RUN_WORKER = """
from tablewright import connect
from tablewright_systems.listbackup.jobs import JOBS, WORKER
from tablewright_systems.listbackup.design import design
from tablewright_systems.service import JobRun
with connect(design, environment="main") as db:
    for job in JOBS:
        job.run(JobRun(db))
"""
NO_FAKES = "import sys; assert [name for name in sys.modules if 'fake' in name] == []"


def test_production_loads_no_fake() -> None:
    program = BUILD_API + RUN_WORKER + NO_FAKES
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr


def test_only_development_serves_fakes(db: Repository, issuer: LocalIssuer) -> None:
    ada, account = new_owner(db)
    path, question = (
        f"/accounts/{account.account_id}/oauth",
        {"platform": "keap", "redirectUri": REDIRECT_URI},
    )
    client = TestClient(api.build(db, issuer))
    person = ApiClient(client, issuer, ada)
    assert person.rejected_field("POST", path, 503, **question) == "platform"
    assert client.get("/platforms/keap/contacts").status_code == 404
    platforms = fake_platforms(db).platforms()
    configured = ApiClient(TestClient(api.build(db, issuer, lambda url: platforms)), issuer, ada)
    configured.call("POST", path, 201, **question)
    assert TestClient(development.build(db, issuer)).get("/platforms/keap/contacts").status_code == 401


def test_the_worker_of_a_development_server_reads_its_fakes(db: Repository) -> None:
    assert platforms_for(db).oauth("keap") is None, "no application is configured"
    development.build(db, LocalIssuer())
    assert platforms_for(db).oauth("keap") is not None
