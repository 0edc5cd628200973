"""Notifications in Slack's words: a text for where there is little room, and blocks. Mattermost and others read the same."""

from collections.abc import Callable
from typing import Any, Final

from corral.model.notifications import Notification, NotificationType

Story = tuple[str, list[str]]  # what happened, in a line, and what else is worth knowing
_LONGEST: Final = 2800  # Slack refuses a section of more than 3000
_ESCAPES: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def to_slack(notification: Notification, *, link: str | None) -> dict[str, Any]:
    """The body of an incoming webhook."""
    headline, details = _DESCRIBE[notification.type](notification.data)
    headline, details = _plain(headline), [_plain(detail) for detail in details if detail]
    section = f"*{headline}*" + "".join(f"\n{detail}" for detail in details)
    context = f"Corral · {notification.type} · {notification.at:%Y-%m-%d %H:%M:%S} UTC"
    if link is not None:
        context = f"<{link.translate(_ESCAPES)}|Open in Corral> · {context}"
    return {
        "text": headline,
        "blocks": [
            {"type": "section", "text": {"type": "mrkdwn", "text": section[:_LONGEST]}},
            {"type": "context", "elements": [{"type": "mrkdwn", "text": context}]},
        ],
    }


def _describe_run(data: dict[str, Any]) -> Story:
    run, counts = data["run"], data["run"]["counts"]
    parts = [
        f"{counts[name]} {name.replace('_', ' ')}"
        for name in ("succeeded", "failed", "cancelled", "skipped_offline")
        if counts[name]
    ]
    recipe = f"{run['workflow']['name']}@{run['workflow']['version']}"
    told = f"{recipe} on {counts['total']} devices: {', '.join(parts) or 'none'}"
    return f"Run {run['name']} {str(run['status']).replace('_', ' ')}", [told, run["last_error_message"] or ""]


def _describe_device(data: dict[str, Any]) -> Story:
    device = data["device"]
    name = f"Device {device['index']} ({device['label'] or device['serial']}) on {device['node_id']}"
    return f"{name} was quarantined", [device["reason"] or "", f"by {device['by']}"]


def _describe_offline(data: dict[str, Any]) -> Story:
    node = data["node"]
    drained = "It was draining." if node["draining"] else ""
    return f"Node {node['name']} is offline", [f"{node['devices']} devices went with it.", drained]


def _describe_online(data: dict[str, Any]) -> Story:
    return f"Node {data['node']['name']} is back online", []


def _describe_silence(data: dict[str, Any]) -> Story:
    nodes = data["nodes"]
    waits = "Nothing is skipped or expired until they are heard again."
    return f"{nodes['silent']} nodes fell silent at once, {nodes['heard']} are heard", [waits]


def _describe_schedule(data: dict[str, Any]) -> Story:
    schedule = data["schedule"]
    return f"Schedule {schedule['name']} could not start its run", [schedule["reason"] or ""]


def _describe_ping(data: dict[str, Any]) -> Story:
    return f"Corral can reach {data['webhook']['name']}", []


_DESCRIBE: Final[dict[NotificationType, Callable[[dict[str, Any]], Story]]] = {
    NotificationType.RUN_FINISHED: _describe_run,
    NotificationType.RUN_FAILED: _describe_run,
    NotificationType.DEVICE_QUARANTINED: _describe_device,
    NotificationType.NODE_OFFLINE: _describe_offline,
    NotificationType.NODE_ONLINE: _describe_online,
    NotificationType.NODES_SILENT: _describe_silence,
    NotificationType.SCHEDULE_FAILED: _describe_schedule,
    NotificationType.PING: _describe_ping,
}


def _plain(text: str) -> str:
    """Text that Slack shows as it is: what a device or a person wrote links to nothing and calls nobody."""
    return text[:_LONGEST].translate(_ESCAPES)
