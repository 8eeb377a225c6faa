"""Student Hub ("Leavs"): students on their way abroad, with a profile, steps to take, deadlines, and a word to say.

`design` is the document as data; `service` has the flows by area: profiles, progress, deadlines, reminders, feedback,
and the dashboard that shows the first three together. DEVIATIONS.md says what we do otherwise than the document.
"""
