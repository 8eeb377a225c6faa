"""The API: one file for each view of the page."""
