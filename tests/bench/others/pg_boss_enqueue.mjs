// Enqueue in bulk with pg-boss. Run by tests.bench.others; prints the seconds that it took.
// Usage: node pg_boss_enqueue.mjs JOBS BATCH, with PostgreSQL in PGHOST and so on; modules in NODE_MODULES.
import { startBoss } from "./pg_boss.mjs";
import { connect } from "./postgresql.mjs";

const [jobs, batch] = process.argv.slice(2).map(Number);
const boss = await startBoss();
await boss.createQueue("noop");
const pool = connect();
await pool.query("checkpoint");
const rows = Array.from({ length: jobs }, (_, n) => ({ data: { n } }));
const startedAt = performance.now();
for (let start = 0; start < jobs; start += batch) await boss.insert("noop", rows.slice(start, start + batch));
const tookS = (performance.now() - startedAt) / 1000;
const made = Number((await pool.query("select count(*) from pgboss.job")).rows[0].count);
if (made !== jobs) throw new Error(`${made} jobs of ${jobs} were made`);
console.log(tookS);
process.exit(0);
