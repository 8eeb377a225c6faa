"""Student Hub ("Leavs"): students who prepare for studies abroad, with profiles, steps, deadlines and feedback.

`design` is the document as data; `service` has the flows by area: profiles, progress, deadlines, reminders, feedback,
and the dashboard that shows the first three together. DEVIATIONS.md says what we do otherwise than the document.
"""
