"""The flows of CollabHub, by area. Each function takes the repository and whoever calls, and decides who may."""
