"""Background jobs of GoalsGuild: reminders after pauses, mails of resets."""

from datetime import timedelta

import pytest
from tablewright_systems.goalsguild.design.goals import RemindersOfUser
from tablewright_systems.goalsguild.design.users import ResetRequests
from tablewright_systems.goalsguild.jobs import JOBS, RESETS
from tablewright_systems.goalsguild.service import goals, logins, reminders
from tablewright_systems.service import Caller, JobRun, JobRunner, MailServer

from systems.tests.goalsguild.fixtures import clock_of
from tablewright import Clock, Repository

DAY = timedelta(days=1)


@pytest.fixture
def run(db: Repository) -> JobRun:
    return JobRun(db)


def reminded(db: Repository) -> list[str]:
    return [reminder.title for reminder in db.all(RemindersOfUser(user_id="ada"))][::-1]


def test_tasks_are_reminded_of_a_day_before(db: Repository, ada: Caller, clock: Clock, run: JobRun) -> None:
    goal = goals.create_goal(db, ada, title="run")
    goals.create_task(db, ada, goal.id, title="first", due_at=db.now() + 2 * DAY)
    reminders.remind_in_advance(run)
    assert reminded(db) == []
    clock.advance(1.5 * DAY)
    reminders.remind_in_advance(run)
    reminders.remind_in_advance(run)
    assert reminded(db) == ["first"]
    goals.create_task(db, ada, goal.id, title="sooner", due_at=db.now() + timedelta(minutes=5))
    reminders.remind_in_advance(run)
    assert sorted(reminded(db)) == ["first", "sooner"]


def test_no_task_is_left_out_after_a_long_pause(
    db: Repository, ada: Caller, clock: Clock, run: JobRun
) -> None:
    goal = goals.create_goal(db, ada, title="run")
    reminders.remind_in_advance(run)
    for number in range(2, 22):
        goals.create_task(db, ada, goal.id, title=f"{number:02}", due_at=db.now() + number * DAY)
    clock.advance(20 * DAY)
    reminders.remind_in_advance(run)
    assert reminded(db) == [f"{number:02}" for number in range(2, 21)]


def test_failed_mail_is_sent_again(
    db: Repository, ada: Caller, clock: Clock, run: JobRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[str] = []

    class BrokenMailer:
        """Fails at first."""

        def send(self, to: str, subject: str, text: str) -> None:
            if not sent:
                sent.append("failed")
                raise OSError("the mail server is down")
            sent.append(to)

    monkeypatch.setattr("tablewright_systems.goalsguild.jobs.configured_mailer", BrokenMailer)
    logins.request_reset(db, "ada@example.org", "10.0.0.1")
    RESETS.run(run)
    assert len(db.all(ResetRequests())) == 1
    clock.advance(DAY)
    RESETS.run(run)
    RESETS.run(run)
    assert sent == ["failed", "ada@example.org"]
    assert db.all(ResetRequests()) == []


def test_mail_server_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(logins.configured_mailer(), logins.LogMailer)
    monkeypatch.setenv(logins.SERVER, "mail.example.org:25")
    monkeypatch.setenv(logins.SENDER, "goals@example.org")
    assert logins.configured_mailer() == MailServer("mail.example.org", 25, "goals@example.org")


def test_all_jobs_run(db: Repository, ada: Caller) -> None:
    runner = JobRunner(db.connection, {"goalsguild": (db, JOBS)}, clock=clock_of(db))
    assert sorted(runner.run_due()) == [
        "goalsguild.adoption",
        "goalsguild.password-resets",
        "goalsguild.progress",
        "goalsguild.reminders",
    ]
