"""Five systems that teams once wrote down as DynamoDB designs, running.

Each is a package with the same rooms: `design` is the document as data, `service` its flows, `api` its HTTP face,
`samples` data to look at, `proofs` one proof for every access pattern and flow that the document names, and
DEVIATIONS.md what we do otherwise, and why. `catalogue` lists them.
"""
