"""Mutations of ListBackup."""

from tests.mutants.listbackup_accounts import ACCOUNT_MUTATIONS
from tests.mutants.listbackup_platforms import PLATFORM_MUTATIONS
from tests.mutants.listbackup_worker import WORKER_MUTATIONS
from tests.mutants.mutation import Mutation

MUTATIONS: tuple[Mutation, ...] = (*ACCOUNT_MUTATIONS, *PLATFORM_MUTATIONS, *WORKER_MUTATIONS)
