"""Five applications built on DynamoDB designs that teams had written down as documents.

Each is a package with the same parts: `design` is the document as data, `service` its flows, `api` its HTTP API,
`samples` its sample data, and `proofs` one proof for each access pattern and flow. REQUIREMENTS.md lists what a
system must do, by number; DEVIATIONS.md where it differs from the document, and why.

Shared by all five: `registry` lists them, `hosting` serves them, `commands` is the command `tablewright-systems`.
`service` has what flows have in common, `web` what APIs have, and `verification` defines and runs proofs.
"""
