"""Mutations of Boards."""

from tests.mutants.mutation import Mutation

MUTATIONS: tuple[Mutation, ...] = ()
