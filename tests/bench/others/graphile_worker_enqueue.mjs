// Enqueue in bulk with Graphile Worker. Run by tests.bench.others; prints the seconds that it took.
// Usage: node graphile_worker_enqueue.mjs JOBS BATCH, with PostgreSQL in PGHOST and so on; modules in NODE_MODULES.
import { createRequire } from "node:module";

const load = createRequire(`${process.env.NODE_MODULES}/`);
const { makeWorkerUtils, Logger } = load("graphile-worker");
const { Pool } = load("pg");

const [jobs, batch] = process.argv.slice(2).map(Number);
const { PGHOST: host, PGPORT: port, PGUSER: user, PGDATABASE: database } = process.env;
const pgPool = new Pool({ host, port: Number(port), user, database, max: 4 });
const utils = await makeWorkerUtils({ pgPool, logger: new Logger(() => () => {}) });
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
