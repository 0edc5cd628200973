// pg-boss as all of its scripts use it: nothing runs beside what is measured, and an error ends the script.
import { load, server } from "./postgresql.mjs";

const loaded = load("pg-boss");
const PgBoss = loaded.PgBoss ?? loaded.default ?? loaded;

export const startBoss = async (options = {}) => {
  const boss = new PgBoss({ ...server, max: 4, supervise: false, schedule: false, ...options });
  boss.on("error", (error) => {
    throw error;
  });
  await boss.start();
  return boss;
};
