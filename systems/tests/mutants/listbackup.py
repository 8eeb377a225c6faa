"""Mutations of ListBackup."""

from systems.tests.mutants.listbackup_accounts import ACCOUNT_MUTATIONS
from systems.tests.mutants.listbackup_platforms import PLATFORM_MUTATIONS
from systems.tests.mutants.listbackup_worker import WORKER_MUTATIONS
from systems.tests.mutants.mutation import Mutation

MUTATIONS: tuple[Mutation, ...] = (*ACCOUNT_MUTATIONS, *PLATFORM_MUTATIONS, *WORKER_MUTATIONS)
