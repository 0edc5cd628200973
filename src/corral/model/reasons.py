"""Why things are as they are, worked out when somebody asks: unlike states, these are never stored."""

from enum import StrEnum


class WaitReason(StrEnum):
    """The rule that holds a job back; fn_explain_run says when which applies."""

    CANCELLING = "cancelling"
    VERDICTS_SUSPENDED = "verdicts_suspended"
    NODE_SILENT = "node_silent"
    DEVICE_QUARANTINED = "device_quarantined"
    DEVICE_OFFLINE = "device_offline"
    DEVICE_CONTESTED = "device_contested"
    NODE_DRAINING = "node_draining"
    BEHIND_OTHERS = "behind_others"
    GATE_FULL = "gate_full"
    SLOTS_FULL = "slots_full"
    POOL_NO_MATCH = "pool_no_match"
    POOL_BUSY = "pool_busy"
    NO_CAPABLE_NODE = "no_capable_node"
    STEPS_WAITING = "steps_waiting"
    RETRY_WAIT = "retry_wait"
    TASKS_WAITING = "tasks_waiting"
    BEHIND_TASK = "behind_task"
    TASK_LOCKED = "task_locked"
    HANDED_OUT = "handed_out"
    READY = "ready"
