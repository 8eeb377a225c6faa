"""ListBackup: accounts in a hierarchy, their people and sources, sealed credentials, a queue of jobs, an audit trail.

The document is "DynamoDB Table Schemas - ListBackup.ai v2": 13 tables, 23 indexes. Where we do otherwise, and why,
is in DEVIATIONS.md.
"""
