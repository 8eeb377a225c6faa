"""The flows of CollabHub, by area. Each function takes the repository and the caller, and checks their rights."""
