"""The contracts of the actions that Corral ships, one module per family."""

from corral.workflow.action_spec import ActionSpec
from corral.workflow.catalog import (
    app,
    artifact,
    assert_,
    device,
    file,
    flow,
    http,
    input_,
    report,
    shell,
    testing,
    ui,
    url,
    vendor,
)

CATALOG: tuple[ActionSpec, ...] = (
    *device.ACTIONS,
    *app.ACTIONS,
    *input_.ACTIONS,
    *ui.ACTIONS,
    *file.ACTIONS,
    *url.ACTIONS,
    *artifact.ACTIONS,
    *assert_.ACTIONS,
    *flow.ACTIONS,
    *report.ACTIONS,
    *vendor.ACTIONS,
    *http.ACTIONS,
    *shell.ACTIONS,
    *testing.ACTIONS,
)
