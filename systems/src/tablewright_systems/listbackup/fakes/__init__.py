"""Fake platforms: keap, stripe and gohighlevel with sample records, for tests and for `tablewright-systems up`.

They have the public shapes of the platforms' APIs and the same refusals: expired tokens, throttling, failing pages.
In a test they run in the process, without a socket; `FakePlatforms.application` serves them over HTTP.
"""
