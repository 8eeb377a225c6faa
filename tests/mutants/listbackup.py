"""Mutations of ListBackup."""

from tests.mutants.mutation import Mutation

MUTATIONS: tuple[Mutation, ...] = ()
