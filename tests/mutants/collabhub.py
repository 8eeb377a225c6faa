"""Mutations of CollabHub."""

from tests.mutants.mutation import Mutation

MUTATIONS: tuple[Mutation, ...] = ()
