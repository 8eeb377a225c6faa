"""The role of a service may delete an entity with what it owns: a server enforces its policies."""

from pathlib import Path

from tests.access.writes.test_owned_deletion import StartupById, design, fill, stored, tree
from tests.generate.iam.role_server import Roles, policies, role_server


def test_a_service_deletes_an_entity_with_what_it_owns(tmp_path: Path) -> None:
    roles = Roles()
    roles.add("operator", policies(design, "test", name="operator"))
    roles.add("service", policies(design, "test"))
    with role_server(tmp_path, roles) as server:
        operator = server.connect(design, "operator", "test", create=True)
        service = server.connect(design, "service", "test")
        fill(service, *tree("s1"))
        report = service.delete_with_owned(StartupById(startup_id="s1"))
        assert report.deleted == {"Startup": 1, "Role": 2, "Application": 2, "Note": 3, "Metric": 1}
        assert stored(operator) == []
        service.close()
        operator.close()
