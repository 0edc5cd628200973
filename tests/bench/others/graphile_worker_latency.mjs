// Latency with Graphile Worker: a worker that LISTENs, without a local queue, which would trade latency for throughput; and a
// sender of one job at a time. Run by tests.bench.others.latency; the worker prints how long each job took to start, in nanoseconds.
// Usage: node graphile_worker_latency.mjs work|send WARM_UP SAMPLES, with PostgreSQL in PGHOST and so on; modules in NODE_MODULES.
import { prepare, work } from "./graphile_worker.mjs";

const role = process.argv[2];
const [warmUp, samples] = process.argv.slice(3).map(Number);
const { pgPool, utils } = await prepare({ max: 4 });

if (role === "work") {
  await utils.migrate();
  const waits = [];
  const taskList = {
    noop: ({ at }) => {
      const startedAt = process.hrtime.bigint();
      if (at !== "0") waits.push(Number(startedAt - BigInt(at)));
      if (waits.length === samples) console.log(JSON.stringify(waits));
    },
  };
  await work(pgPool, taskList, { concurrentJobs: 1 });
  console.log("ready");
} else {
  for (let number = 0; number < warmUp + samples; number += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20 + 60 * Math.random()));
    await utils.addJob("noop", { at: String(number >= warmUp ? process.hrtime.bigint() : 0) });
  }
  process.exit(0);
}
