"""CollabHub: founders look for staff and funding; talents apply, investors request access, and users exchange messages.

`design` is the document as data, by area; `service` has the flows of the same areas; DEVIATIONS.md lists the
differences from the document, with reasons.
"""
