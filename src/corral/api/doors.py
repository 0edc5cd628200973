"""Who may call what: one line for every route, and a server does not start with a route that has none.

The web UI's own files (api/pages.py) are no routes: they hold no data, and anybody may have them.
"""

from collections.abc import Iterable
from typing import Final

from litestar.routes import BaseRoute, HTTPRoute, WebSocketRoute
from msgspec import Struct

from corral.model.credentials import Role


class Door(Struct, frozen=True, kw_only=True):
    """To whom a route opens: anybody, nodes, operators of at least a role."""

    is_public: bool = False
    nodes: bool = False
    role: Role | None = None


ANYBODY: Final = Door(is_public=True)
NODES: Final = Door(nodes=True)
VIEWERS: Final = Door(role=Role.VIEWER)
NODES_AND_VIEWERS: Final = Door(nodes=True, role=Role.VIEWER)
OPERATORS: Final = Door(role=Role.OPERATOR)
ADMINS: Final = Door(role=Role.ADMIN)

WEBSOCKET: Final = "WEBSOCKET"

DOORS: Final[dict[tuple[str, str], Door]] = {
    ("GET", "/health"): ANYBODY,
    ("GET", "/ready"): ANYBODY,
    ("GET", "/metrics"): VIEWERS,
    ("GET", "/schema"): VIEWERS,
    ("GET", "/schema/openapi.json"): VIEWERS,
    ("GET", "/schema/page"): VIEWERS,
    ("GET", "/schema/{path}"): VIEWERS,  # Litestar's own: not found, in its words
    # Signing in needs no credential but the one that is sent; signing out, none that is still good.
    ("POST", "/api/session"): ANYBODY,
    ("GET", "/api/session"): VIEWERS,
    ("DELETE", "/api/session"): ANYBODY,
    ("POST", "/api/nodes/register"): NODES,
    ("POST", "/api/nodes/heartbeat"): NODES,
    ("POST", "/api/nodes/pull"): NODES,
    ("POST", "/api/nodes/claim"): NODES,
    ("POST", "/api/nodes/callback"): NODES,
    ("POST", "/api/nodes/tests/offer"): NODES,
    ("POST", "/api/nodes/tests/claim"): NODES,
    ("GET", "/api/nodes/status"): VIEWERS,
    ("POST", "/api/nodes/scan"): OPERATORS,
    ("POST", "/api/nodes/{node_id}/drain"): OPERATORS,
    ("POST", "/api/nodes/{node_id}/enroll"): ADMINS,
    ("GET", "/api/nodes/{node_id}/tokens"): ADMINS,
    ("DELETE", "/api/nodes/{node_id}/tokens/{token_id}"): ADMINS,
    ("GET", "/api/scans/{scan_id}"): VIEWERS,
    ("GET", "/api/devices"): VIEWERS,
    ("GET", "/api/devices/{device_id}"): VIEWERS,
    ("GET", "/api/devices/{device_id}/jobs"): VIEWERS,
    ("GET", "/api/devices/{device_id}/health"): VIEWERS,
    ("POST", "/api/devices/{device_id}/watch"): OPERATORS,
    ("GET", "/api/devices/{device_id}/picture"): VIEWERS,
    ("PUT", "/api/nodes/{node_id}/pictures/{device_id}"): NODES,
    ("POST", "/api/nodes/{node_id}/pictures/{device_id}/failure"): NODES,
    ("WEBSOCKET", "/api/sessions/{session_id}/adb"): OPERATORS,
    ("WEBSOCKET", "/api/nodes/{node_id}/tunnels/{tunnel_id}"): NODES,
    ("PATCH", "/api/devices/{device_id}"): OPERATORS,
    ("GET", "/api/dashboard"): VIEWERS,
    ("POST", "/api/workflows"): OPERATORS,
    ("GET", "/api/workflows"): VIEWERS,
    ("GET", "/api/workflows/{name}"): VIEWERS,
    ("GET", "/api/workflows/{name}/{version}"): VIEWERS,
    ("GET", "/api/workflows/{name}/{version}/plan"): VIEWERS,
    ("GET", "/api/presets"): VIEWERS,
    ("GET", "/api/actions"): VIEWERS,
    ("POST", "/api/commands"): OPERATORS,
    ("POST", "/api/commands/validate"): VIEWERS,  # a look, which changes nothing
    ("GET", "/api/commands"): VIEWERS,
    ("GET", "/api/commands/{command_id}"): VIEWERS,
    ("PUT", "/api/commands/{command_id}"): OPERATORS,
    ("DELETE", "/api/commands/{command_id}"): OPERATORS,
    ("POST", "/api/playbooks"): OPERATORS,
    ("POST", "/api/playbooks/validate"): VIEWERS,  # as above
    ("GET", "/api/playbooks"): VIEWERS,
    ("GET", "/api/playbooks/{playbook_id}"): VIEWERS,
    ("PUT", "/api/playbooks/{playbook_id}"): OPERATORS,
    ("DELETE", "/api/playbooks/{playbook_id}"): OPERATORS,
    ("POST", "/api/runs"): OPERATORS,
    ("GET", "/api/runs"): VIEWERS,
    ("GET", "/api/runs/{run_id}"): VIEWERS,
    ("GET", "/api/runs/{run_id}/explain"): VIEWERS,
    ("GET", "/api/runs/{run_id}/steps"): VIEWERS,
    ("GET", "/api/runs/{run_id}/graph"): VIEWERS,
    ("GET", "/api/runs/{run_id}/graph/{step}"): VIEWERS,
    ("GET", "/api/runs/{run_id}/logs"): VIEWERS,
    ("GET", "/api/runs/{run_id}/tests"): VIEWERS,
    ("GET", "/api/runs/{run_id}/tests/case"): VIEWERS,
    ("GET", "/api/runs/{run_id}/junit"): VIEWERS,
    ("POST", "/api/runs/{run_id}/cancel"): OPERATORS,
    ("POST", "/api/runs/{run_id}/review"): OPERATORS,
    ("POST", "/api/runs/{run_id}/retry"): OPERATORS,
    ("POST", "/api/runs/{run_id}/replay"): OPERATORS,
    ("POST", "/api/sessions"): OPERATORS,
    ("GET", "/api/sessions"): VIEWERS,
    ("GET", "/api/sessions/{session_id}"): VIEWERS,
    ("POST", "/api/sessions/{session_id}/renew"): OPERATORS,
    ("POST", "/api/sessions/{session_id}/release"): OPERATORS,
    ("POST", "/api/sessions/{session_id}/input"): OPERATORS,
    ("PUT", "/api/artifacts/{video}/{node_id}/{serial}/{run_id}/{name}"): NODES,
    ("PUT", "/api/artifacts/{video}/content/{serial}/{run_id}/{name}"): NODES,
    ("POST", "/api/artifacts/uploads"): NODES,
    ("POST", "/api/artifacts/uploads/{upload_id}/accept"): NODES,
    ("GET", "/api/artifacts"): VIEWERS,
    ("GET", "/api/artifacts/{artifact_id}"): VIEWERS,
    ("GET", "/api/artifacts/{artifact_id}/content"): VIEWERS,
    ("POST", "/api/files"): OPERATORS,
    ("GET", "/api/files"): VIEWERS,
    ("GET", "/api/files/uploads/{upload_id}"): OPERATORS,
    ("PATCH", "/api/files/uploads/{upload_id}"): OPERATORS,
    ("POST", "/api/files/uploads/{upload_id}/finish"): OPERATORS,
    ("PUT", "/api/files/{ref}"): OPERATORS,
    ("DELETE", "/api/files/{ref}"): OPERATORS,
    ("GET", "/api/files/{ref}"): NODES_AND_VIEWERS,
    ("GET", "/api/files/{ref}/content"): NODES_AND_VIEWERS,
    ("POST", "/api/contents"): OPERATORS,
    ("GET", "/api/contents"): VIEWERS,
    ("GET", "/api/contents/preview"): VIEWERS,
    ("GET", "/api/contents/hours"): VIEWERS,
    ("GET", "/api/contents/{youtube_video_id}"): VIEWERS,
    ("DELETE", "/api/contents/{youtube_video_id}"): OPERATORS,
    ("GET", "/api/contents/{youtube_video_id}/thumbnail"): VIEWERS,
    ("POST", "/api/content-channels"): OPERATORS,
    ("GET", "/api/content-channels"): VIEWERS,
    ("GET", "/api/content-channels/{youtube_channel_id}"): VIEWERS,
    ("PATCH", "/api/content-channels/{youtube_channel_id}"): OPERATORS,
    ("DELETE", "/api/content-channels/{youtube_channel_id}"): OPERATORS,
    ("POST", "/api/content-channels/{youtube_channel_id}/sync"): OPERATORS,
    ("POST", "/api/schedules"): OPERATORS,
    ("GET", "/api/schedules"): VIEWERS,
    ("GET", "/api/schedules/preview"): VIEWERS,
    ("GET", "/api/schedules/{schedule_id}"): VIEWERS,
    ("PATCH", "/api/schedules/{schedule_id}"): OPERATORS,
    ("DELETE", "/api/schedules/{schedule_id}"): OPERATORS,
    ("POST", "/api/schedules/{schedule_id}/run"): OPERATORS,
    ("GET", "/api/schedules/{schedule_id}/firings"): VIEWERS,
    # The server calls what is named here, and Slack's URLs are secrets.
    ("POST", "/api/webhooks"): ADMINS,
    ("GET", "/api/webhooks"): ADMINS,
    ("GET", "/api/webhooks/{webhook_id}"): ADMINS,
    ("PATCH", "/api/webhooks/{webhook_id}"): ADMINS,
    ("DELETE", "/api/webhooks/{webhook_id}"): ADMINS,
    ("POST", "/api/webhooks/{webhook_id}/secret"): ADMINS,
    ("POST", "/api/webhooks/{webhook_id}/ping"): ADMINS,
    ("GET", "/api/webhooks/{webhook_id}/deliveries"): ADMINS,
    ("GET", "/api/webhooks/{webhook_id}/deliveries/{delivery_id}"): ADMINS,
    ("POST", "/api/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver"): ADMINS,
    ("POST", "/api/operators"): ADMINS,
    ("GET", "/api/operators"): ADMINS,
    ("DELETE", "/api/operators/{name}"): ADMINS,
    ("POST", "/api/operators/{name}/token"): ADMINS,
    ("GET", "/api/audit"): ADMINS,
    ("POST", "/v1/agents/heartbeat"): OPERATORS,
    ("GET", "/v1/agents"): VIEWERS,
    ("GET", "/v1/agents/{agent_id}"): VIEWERS,
    ("GET", "/v1/agents/{agent_id}/current-task"): VIEWERS,
    ("POST", "/v1/channels"): OPERATORS,
    ("GET", "/v1/channels"): VIEWERS,
    ("GET", "/v1/channels/by-name/{name}"): VIEWERS,
    ("POST", "/v1/chains"): OPERATORS,
    ("GET", "/v1/chains"): VIEWERS,
    ("GET", "/v1/chains/{chain_id}"): VIEWERS,
    ("PUT", "/v1/chains/{chain_id}"): OPERATORS,
    ("DELETE", "/v1/chains/{chain_id}"): OPERATORS,
    ("POST", "/v1/tasks"): OPERATORS,
    ("GET", "/v1/tasks"): VIEWERS,
    ("GET", "/v1/tasks/{task_id}"): VIEWERS,
    ("PUT", "/v1/tasks/{task_id}"): OPERATORS,
    ("POST", "/v1/tasks/claim"): OPERATORS,
    ("POST", "/v1/tasks/assign"): OPERATORS,
    ("POST", "/v1/tasks/complete"): OPERATORS,
    ("POST", "/v1/tasks/fail"): OPERATORS,
    ("POST", "/v1/events"): OPERATORS,
    ("GET", "/v1/events"): VIEWERS,
    ("GET", "/v1/dashboard"): VIEWERS,
    ("GET", "/v1/stream"): VIEWERS,
}


def list_operations(routes: Iterable[BaseRoute]) -> set[tuple[str, str]]:
    """Every method and path that an app answers; OPTIONS, which Litestar adds to each path, goes with the rest of it.

    What is opened as a WebSocket has WEBSOCKET for its method.
    """
    routes = list(routes)
    sockets = {(WEBSOCKET, route.path_format) for route in routes if isinstance(route, WebSocketRoute)}
    return sockets | {
        (method, route.path_format)
        for route in routes
        if isinstance(route, HTTPRoute)
        for method in route.methods
        if method != "OPTIONS"
    }


def check_doors(routes: Iterable[BaseRoute]) -> None:
    """Raise unless this table and the app speak of the same routes: one that is not here would be nobody's to judge."""
    present = list_operations(routes)
    undeclared, gone = sorted(present - DOORS.keys()), sorted(DOORS.keys() - present)
    if undeclared or gone:
        raise RuntimeError(f"api/doors.py must say who may call {undeclared}, and forget {gone}")


def door_of(method: str, path: str) -> Door:
    """The door of a route. OPTIONS only names the other methods of a path, and opens as the first of them does."""
    if method == "OPTIONS":
        return next(door for (_, other), door in DOORS.items() if other == path)
    return DOORS[method, path]
