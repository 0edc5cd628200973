// Drain a queue with pg-boss: fetch a batch, complete it, with several such loops at once where that is faster.
// Run by tests.bench.others.rivals; prints the seconds that it took.
// Usage: node pg_boss_drain.mjs JOBS BATCH LOOPS, with PostgreSQL in PGHOST and so on; modules in NODE_MODULES.
import { startBoss } from "./pg_boss.mjs";
import { connect } from "./postgresql.mjs";

const [jobs, batch, loops] = process.argv.slice(2).map(Number);
const boss = await startBoss();
await boss.createQueue("noop");
for (let start = 0; start < jobs; start += 1000) {
  const size = Math.min(1000, jobs - start);
  const rows = Array.from({ length: size }, () => ({ data: {} }));
  await boss.insert("noop", rows);
}
const pool = connect();
await pool.query("vacuum analyze");
await pool.query("checkpoint");
await pool.end();

let done = 0;
const drain = async () => {
  for (;;) {
    const fetched = await boss.fetch("noop", { batchSize: batch });
    if (!fetched?.length) return;
    await boss.complete("noop", fetched.map((job) => job.id));
    done += fetched.length;
  }
};
const startedAt = performance.now();
await Promise.all(Array.from({ length: loops }, drain));
const tookS = (performance.now() - startedAt) / 1000;
await boss.stop({ graceful: false });
if (done !== jobs) throw new Error(`${done} jobs of ${jobs} were done`);
console.log(tookS);
process.exit(0);
