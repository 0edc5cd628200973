// Drain a queue with Graphile Worker. LOCAL is the size of its local queue, below 2 for none; completions are batched where it has one.
// Run by tests.bench.others.rivals; prints the seconds that it took.
// Usage: node graphile_worker_drain.mjs JOBS CONCURRENCY LOCAL, with PostgreSQL in PGHOST and so on; modules in NODE_MODULES.
import { prepare, work } from "./graphile_worker.mjs";

const [jobs, concurrentJobs, local] = process.argv.slice(2).map(Number);
const { pgPool, utils } = await prepare({ max: 20 });
await utils.migrate();
await pgPool.query(
  "select graphile_worker.add_jobs(array(select row('noop','{}',null,null,null,null,null,null)::graphile_worker.job_spec from generate_series(1,$1)))",
  [jobs],
);
await utils.release();
await pgPool.query("vacuum analyze");
await pgPool.query("checkpoint");

let done = 0;
let ended;
const all = new Promise((resolve) => {
  ended = resolve;
});
const left = async () => Number((await pgPool.query("select count(*) from graphile_worker.jobs")).rows[0].count);
const taskList = {
  noop: () => {
    done += 1;
    if (done === jobs) ended();
  },
};
const batching = local > 1 ? { localQueue: { size: local }, completeJobBatchDelay: 0, failJobBatchDelay: 0 } : {};
const startedAt = performance.now();
const runner = await work(pgPool, taskList, { concurrentJobs, pollInterval: 100, ...batching });
await all;
while ((await left()) > 0) await new Promise((resolve) => setTimeout(resolve, 1));
const tookS = (performance.now() - startedAt) / 1000;
await runner.stop().catch(() => {});
if (done !== jobs) throw new Error(`${done} jobs of ${jobs} were done`);
console.log(tookS);
process.exit(0);
