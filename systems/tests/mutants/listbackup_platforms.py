"""Mutations of ListBackup's sources, OAuth, webhooks and platforms."""

from systems.tests.mutants.mutation import Mutation

_PLATFORM_TESTS = "systems/tests/listbackup/platforms"
_SOURCE_TESTS = "systems/tests/listbackup/service"

PLATFORM_MUTATIONS = (
    Mutation(
        "a webhook is accepted with any signature",
        "listbackup/platforms/webhooks.py",
        "_require(any(hmac.compare_digest(expected.encode(), value.encode()) for value in shown))",
        "_require(bool(shown))",
    ),
    Mutation(
        "a recorded webhook is accepted at any time",
        "listbackup/platforms/webhooks.py",
        "if abs(now - delivery.sent_at) > tolerance:",
        "if now < delivery.sent_at - tolerance:",
        (f"{_PLATFORM_TESTS}/test_webhooks.py::test_an_old_delivery_and_one_from_the_future_are_rejected",),
    ),
    Mutation(
        "a webhook without a key is accepted",
        "listbackup/platforms/webhooks.py",
        "    _require(bool(key))\n    return key",
        "    return key",
        (f"{_PLATFORM_TESTS}/test_webhooks.py::test_without_a_key_every_delivery_is_rejected",),
    ),
    Mutation(
        "a record that is deleted during a read hides another one",
        "listbackup/platforms/reader.py",
        "scope.offset + len(records) - OVERLAP",
        "scope.offset + len(records)",
        (f"{_PLATFORM_TESTS}/test_reader.py",),
    ),
    Mutation(
        "who may create sources reconnects existing ones",
        "listbackup/service/oauth.py",
        "Right.UPDATE if source else Right.CREATE",
        "Right.CREATE",
        (f"{_SOURCE_TESTS}/test_oauth.py",),
    ),
    Mutation(
        "an error shows a part of a secret",
        "listbackup/platforms/http_client.py",
        '    text = document if isinstance(document, str) else ""\n',
        '    text = document[:MAX_MESSAGE_LENGTH] if isinstance(document, str) else ""\n',
        (f"{_PLATFORM_TESTS}/test_http_client.py",),
    ),
    Mutation(
        "an error shows a refresh token",
        "listbackup/platforms/http_client.py",
        "_reason(body, credentials.secret, *request.secrets)",
        "_reason(body, credentials.secret)",
        (f"{_PLATFORM_TESTS}/test_oauth_client.py",),
    ),
    Mutation(
        "a repeated webhook causes another sync",
        "listbackup/service/webhooks.py",
        "[writes.Create(event)]",
        "[writes.Put(event)]",
    ),
    Mutation(
        "a paused source accepts webhooks",
        "listbackup/service/webhooks.py",
        "if not is_realtime or source.status is not SourceStatus.ACTIVE:",
        "if not is_realtime:",
        (f"{_SOURCE_TESTS}/test_webhooks.py::test_a_paused_source_ignores_deliveries_and_catches_up",),
    ),
    Mutation(
        "an OAuth flow ends in another browser",
        "listbackup/service/oauth.py",
        'if browser_key is None or not secrets.compare_digest(_hash(browser_key), stored.browser_hash or ""):',
        "if browser_key is None:",
    ),
    Mutation(
        "an OAuth flow returns to any site",
        "listbackup/service/oauth.py",
        'if f"{parts.scheme}://{parts.netloc}" not in platforms.return_origins:',
        "if not parts.netloc:",
    ),
    Mutation(
        "another user completes an OAuth flow",
        "listbackup/service/oauth.py",
        "if stored.user_id != caller.user_id:",
        "if not caller.user_id:",
    ),
    Mutation(
        "a member renews tokens as a worker",
        "listbackup/service/oauth_tokens.py",
        '    """Renew the tokens of a source. For the platform\'s workers."""\n    require_staff(caller, "worker")\n',
        '    """Renew the tokens of a source. For the platform\'s workers."""\n',
    ),
    Mutation(
        "two workers renew tokens at once",
        "listbackup/service/oauth_tokens.py",
        "stored = LEASE.take(db, before)",
        "stored = db.update(before, set=LEASE.new(db))",
        ("systems/tests/listbackup/test_account_races.py::test_tokens_are_renewed_by_one_worker",),
    ),
    Mutation(
        "a paused source is read",
        "listbackup/service/readers.py",
        "if source.status is not SourceStatus.ACTIVE:",
        "if source.status is SourceStatus.DISCONNECTED:",
        (f"{_SOURCE_TESTS}/test_readers.py::test_a_paused_source_is_not_opened",),
    ),
    Mutation(
        "a token follows a redirect to another host",
        "listbackup/platforms/http_client.py",
        "follow_redirects=False",
        "follow_redirects=True",
        (f"{_PLATFORM_TESTS}/test_http_client.py::test_a_redirect_is_not_followed",),
    ),
    Mutation(
        "an error message contains the key",
        "listbackup/platforms/http_client.py",
        'text = text.replace(secret, "***").replace(quote_plus(secret), "***")',
        "text = text.strip()",
        (f"{_PLATFORM_TESTS}/test_http_client.py::test_each_failure_has_its_error_without_the_secret",),
    ),
    Mutation(
        "a write to a platform is repeated",
        "listbackup/platforms/http_client.py",
        "attempts = ATTEMPTS if request.is_read else 1",
        "attempts = ATTEMPTS",
        (f"{_PLATFORM_TESTS}/test_http_client.py::test_a_write_is_never_repeated",),
    ),
)
