"""GoalsGuild: users set goals, divide them into tasks and milestones, and chat about them.

One table, `gg_core`, as REQUIREMENTS.md describes it, and one for login attempts. `design` is the document as data,
`service` its flows, `api` its HTTP face; DEVIATIONS.md says where we do otherwise, and why.
"""
