"""ListBackup: a hierarchy of accounts, users and sources, encrypted credentials, a job queue, an audit trail.

The document is "DynamoDB Table Schemas - ListBackup.ai v2": 13 tables, 23 indexes. DEVIATIONS.md lists the
differences from it, with reasons.
"""
