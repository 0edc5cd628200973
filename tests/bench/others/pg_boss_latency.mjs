// Latency with pg-boss: a worker that LISTENs for its queue (an option of both sides), and a sender of one job at a time.
// Run by tests.bench.others.latency; the worker prints how long each job took to start, in nanoseconds.
// Usage: node pg_boss_latency.mjs work|send WARM_UP SAMPLES, with PostgreSQL in PGHOST and so on; modules in NODE_MODULES.
import { startBoss } from "./pg_boss.mjs";

const role = process.argv[2];
const [warmUp, samples] = process.argv.slice(3).map(Number);
const boss = await startBoss({ useListenNotify: true });

if (role === "work") {
  await boss.createQueue("noop", { notify: true });
  const waits = [];
  // Several at a time, or a job that comes while another is fetched would wait for the next notification.
  await boss.work("noop", { pollingIntervalSeconds: 0.5, batchSize: 10 }, async (jobs) => {
    const startedAt = process.hrtime.bigint();
    for (const { data } of jobs) if (data.at !== "0") waits.push(Number(startedAt - BigInt(data.at)));
    if (waits.length === samples) console.log(JSON.stringify(waits));
  });
  console.log("ready");
} else {
  for (let number = 0; number < warmUp + samples; number += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20 + 60 * Math.random()));
    await boss.send("noop", { at: String(number >= warmUp ? process.hrtime.bigint() : 0) });
  }
  process.exit(0);
}
