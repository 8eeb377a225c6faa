"""Buckets: folders that stand for S3 buckets, and the files in them."""
