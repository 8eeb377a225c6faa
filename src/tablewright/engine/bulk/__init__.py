"""Bulk operations: items from the files of a bucket, put into an existing table while clients use it."""
