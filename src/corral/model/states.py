"""The states of everything that has one. Each enum equals a CHECK constraint of the schema; a test compares them."""

from enum import StrEnum


class JobStatus(StrEnum):
    """A job: what is leased. Terminal states never change."""

    QUEUED = "queued"
    LEASED = "leased"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"
    SKIPPED_OFFLINE = "skipped_offline"

    @property
    def is_terminal(self) -> bool:
        return self in {JobStatus.SUCCEEDED, JobStatus.FAILED, JobStatus.CANCELLED, JobStatus.SKIPPED_OFFLINE}


class StepStatus(StrEnum):
    """A step of a job."""

    PENDING = "pending"
    READY = "ready"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    SKIPPED = "skipped"
    CANCELLED = "cancelled"

    @property
    def is_terminal(self) -> bool:
        return self in {StepStatus.SUCCEEDED, StepStatus.FAILED, StepStatus.SKIPPED, StepStatus.CANCELLED}


class RunStatus(StrEnum):
    """A run: ended if and only if all its jobs are."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    COMPLETED_WITH_ERRORS = "completed_with_errors"
    FAILED = "failed"
    CANCELLED = "cancelled"
    SKIPPED = "skipped"

    @property
    def is_terminal(self) -> bool:
        return self not in {RunStatus.QUEUED, RunStatus.RUNNING}


class FailureReason(StrEnum):
    """Why a job failed: a closed list, so that trouble with the farm and trouble with the work are told apart."""

    DEVICE_OFFLINE = "device_offline"
    DEVICE_UNAUTHORIZED = "device_unauthorized"
    DEVICE_NOT_BOOTED = "device_not_booted"
    DEVICE_UNHEALTHY = "device_unhealthy"
    STEP_TIMEOUT = "step_timeout"
    JOB_TIMEOUT = "job_timeout"
    WAIT_TIMEOUT = "wait_timeout"
    ACTION_FAILED = "action_failed"
    ASSERTION_FAILED = "assertion_failed"
    TESTS_FAILED = "tests_failed"
    TEMPLATE_ERROR = "template_error"
    DRIVER_ERROR = "driver_error"
    UPLOAD_FAILED = "upload_failed"
    NODE_LOST = "node_lost"
    NO_CAPABLE_NODE = "no_capable_node"
    STEP_FAILED = "step_failed"
    INTERNAL_ERROR = "internal_error"
    UNKNOWN = "unknown"

    @property
    def is_infrastructure(self) -> bool:
        """Whether the farm failed, rather than the work that ran on it."""
        return self not in {
            FailureReason.STEP_TIMEOUT,
            FailureReason.ACTION_FAILED,
            FailureReason.ASSERTION_FAILED,
            FailureReason.TESTS_FAILED,
            FailureReason.TEMPLATE_ERROR,
            FailureReason.STEP_FAILED,
            FailureReason.UNKNOWN,
        }


class LeaseEnding(StrEnum):
    """How a lease ended."""

    FINISHED = "finished"
    INTERRUPTED = "interrupted"
    EXPIRED = "expired"
    REBOOTED = "rebooted"
    LOST_GRANT = "lost_grant"
    DEADLINE = "deadline"
    RELEASED = "released"


class Connection(StrEnum):
    """How a device is connected, by its node's word."""

    CONNECTED = "connected"
    OFFLINE = "offline"
    UNAUTHORIZED = "unauthorized"
    NOT_BOOTED = "not_booted"
    GONE = "gone"


class Health(StrEnum):
    """Whether a device may be trusted with work."""

    OK = "ok"
    SUSPECT = "suspect"
    QUARANTINED = "quarantined"


class ScanStatus(StrEnum):
    """A request to a node to rediscover its devices."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"


class EventOutcome(StrEnum):
    """What became of a node's event. Only applied and stale ones are recorded."""

    APPLIED = "applied"
    DUPLICATE = "duplicate"
    STALE = "stale"
    INVALID = "invalid"


class AgentStatus(StrEnum):
    """What an agent of the coordinator door says that it does."""

    IDLE = "idle"
    RUNNING = "running"
    WAITING = "waiting"


class Overlap(StrEnum):
    """What a schedule does when a run of it has not ended and the next is due."""

    ALLOW = "allow"
    SKIP = "skip"
    CANCEL_PREVIOUS = "cancel_previous"


class CatchUp(StrEnum):
    """What a schedule does about times that went by while no server ran: nothing, the last of them, or all up to a limit."""

    NONE = "none"
    LAST = "last"
    ALL = "all"


class FiringOutcome(StrEnum):
    """What became of a due time of a schedule."""

    FIRED = "fired"
    SKIPPED = "skipped"
    MISSED = "missed"
    FAILED = "failed"


class WebhookKind(StrEnum):
    """How a webhook's bodies look: Corral's own, signed, or Slack's."""

    JSON = "json"
    SLACK = "slack"


class DeliveryStatus(StrEnum):
    """How far a notification has come on its way to one webhook."""

    WAITING = "waiting"
    DELIVERED = "delivered"
    FAILED = "failed"


class SessionEnd(StrEnum):
    """Why a session ended: its holder's word, another's, nobody's, or what became of the phone."""

    RELEASED = "released"
    FORCED = "forced"
    EXPIRED = "expired"
    DEVICE_LOST = "device_lost"
    NODE_LOST = "node_lost"
    REFUSED = "refused"


class CaseStatus(StrEnum):
    """How a try of a test case ended; also the verdict on a test that phones share."""

    PASSED = "passed"
    FAILED = "failed"
    ERRORED = "errored"
    SKIPPED = "skipped"


class Chunking(StrEnum):
    """What evens out the chunks of a shared suite: the number of tests, or how long they took in the past."""

    COUNT = "count"
    DURATION = "duration"


class SuitePart(StrEnum):
    """A phone's part in a shared suite."""

    WORKING = "working"
    SPARE = "spare"
    DONE = "done"
