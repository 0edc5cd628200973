// Enqueue in bulk with Graphile Worker. Run by tests.bench.others; prints the seconds that it took.
// Usage: node graphile_worker_enqueue.mjs JOBS BATCH, with PostgreSQL in PGHOST and so on; modules in NODE_MODULES.
import { prepare } from "./graphile_worker.mjs";

const [jobs, batch] = process.argv.slice(2).map(Number);
const { pgPool, utils } = await prepare({ max: 4 });
await utils.migrate();
await pgPool.query("checkpoint");
const specs = Array.from({ length: jobs }, (_, n) => ({ identifier: "noop", payload: { n } }));
const startedAt = performance.now();
for (let start = 0; start < jobs; start += batch) await utils.addJobs(specs.slice(start, start + batch));
const tookS = (performance.now() - startedAt) / 1000;
const made = Number((await pgPool.query("select count(*) from graphile_worker.jobs")).rows[0].count);
if (made !== jobs) throw new Error(`${made} jobs of ${jobs} were made`);
console.log(tookS);
process.exit(0);
