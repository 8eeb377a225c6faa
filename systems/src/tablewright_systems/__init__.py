"""Five applications built on DynamoDB designs that teams had written down as documents.

Each is a package with the same parts: `design` is the document as data, `service` its flows, `api` its HTTP API,
`samples` its sample data, and `proofs` one proof for each access pattern and flow. REQUIREMENTS.md lists what a
system must do, by number; DEVIATIONS.md where it differs from the document, and why.

Shared by all five: `registry` lists them, `hosting` serves them, `http_api`, `error_replies` and `pages` make their
APIs, `authentication` verifies tokens, `proofs` and `proof_runner` define and run proofs.
"""
