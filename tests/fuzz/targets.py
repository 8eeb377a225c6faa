"""All targets, by name."""

from tests.fuzz import design_targets, expression_targets, value_targets

TARGETS = {
    target.name: target
    for target in (*expression_targets.TARGETS, *value_targets.TARGETS, *design_targets.TARGETS)
}
