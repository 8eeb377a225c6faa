"""CollabHub: founders look for people and money; talents apply, investors ask for access, and all of them talk.

`design` is the document as data, by area; `service` has the flows by the same areas; DEVIATIONS.md says what we do
otherwise than the document, and why.
"""
