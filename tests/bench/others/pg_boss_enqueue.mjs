// Enqueue in bulk with pg-boss. Run by tests.bench.others; prints the seconds that it took.
// Usage: node pg_boss_enqueue.mjs JOBS BATCH, with PostgreSQL in PGHOST and so on; modules in NODE_MODULES.
import { createRequire } from "node:module";

const load = createRequire(`${process.env.NODE_MODULES}/`);
const loaded = load("pg-boss");
const PgBoss = loaded.PgBoss ?? loaded.default ?? loaded;
const { Pool } = load("pg");

const [jobs, batch] = process.argv.slice(2).map(Number);
const { PGHOST: host, PGPORT: port, PGUSER: user, PGDATABASE: database } = process.env;
const boss = new PgBoss({ host, port: Number(port), user, database, max: 4, supervise: false, schedule: false });
boss.on("error", (error) => {
  throw error;
});
await boss.start();
await boss.createQueue("noop");
const pool = new Pool({ host, port: Number(port), user, database });
await pool.query("checkpoint");
const rows = Array.from({ length: jobs }, (_, n) => ({ data: { n } }));
const startedAt = performance.now();
for (let start = 0; start < jobs; start += batch) await boss.insert("noop", rows.slice(start, start + batch));
const tookS = (performance.now() - startedAt) / 1000;
const made = Number((await pool.query("select count(*) from pgboss.job")).rows[0].count);
if (made !== jobs) throw new Error(`${made} jobs of ${jobs} were made`);
console.log(tookS);
process.exit(0);
