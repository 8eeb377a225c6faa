"""Users: sign-up, second factor, sessions, memberships, invitations and teams."""
