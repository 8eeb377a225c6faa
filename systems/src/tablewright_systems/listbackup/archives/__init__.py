"""Archives: the files of backups, exports and uploads, encrypted with a key of their own.

An archive is a set of chunks (compressed JSON Lines) and a manifest that lists them. The manifest is written last: an
archive without a manifest does not exist for a reader.
"""
