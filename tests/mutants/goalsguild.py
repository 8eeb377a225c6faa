"""Mutations of GoalsGuild."""

from tests.mutants.mutation import Mutation

MUTATIONS: tuple[Mutation, ...] = ()
