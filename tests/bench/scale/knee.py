"""How many jobs a second a farm takes on this machine: ever more are asked for, until callbacks or jobs are late."""

from typing import Final

from tests.bench.scale.farm import ModelFarm
from tests.bench.scale.records import Knee

FIRST_JOBS_PER_S: Final = 40.0
_GROWTH: Final = 1.25
_MOST_STAGES: Final = 14
_MOST_FAILED: Final = 2
"""One failed stage may be bad luck."""

MOST_CALLBACK_P99_MS: Final = 500.0
MOST_STARVED: Final = 0.05


async def find_knee(farm: ModelFarm, *, seconds: float) -> Knee:
    """Raise the pace until two stages in a row were not kept."""
    knee = Knee(nodes=len(farm.nodes), most_callback_p99_ms=MOST_CALLBACK_P99_MS, most_starved=MOST_STARVED, stages=[])
    failed, pace = 0, FIRST_JOBS_PER_S
    while failed < _MOST_FAILED and len(knee.stages) < _MOST_STAGES:
        await farm.ensure_jobs(pace * seconds * 1.25)
        farm.set_pace(pace)
        await farm.measure(seconds / 4)  # until that is usual
        stage = await farm.measure(seconds)
        knee.stages.append(stage)
        is_kept = knee.is_kept_by(stage)
        failed = 0 if is_kept else failed + 1
        print(
            f"    asked for {pace:.0f} jobs/s: {stage.jobs_per_s:.0f}; callback p99 {stage.callback.p99_ms:.0f} ms;"
            f" processors: server {stage.server_s / stage.seconds:.2f}, PostgreSQL {stage.postgres_s / stage.seconds:.2f},"
            f" model {stage.generator_s / stage.seconds:.2f}, others {stage.other_s / stage.seconds:.2f};"
            f" {stage.fsyncs / stage.seconds:.0f} fsyncs/s; {'kept' if is_kept else 'not kept'}",
            flush=True,
        )
        pace *= _GROWTH
    farm.set_pace(0)
    return knee
