// Graphile Worker as all of its scripts use it: it says nothing, and works through a pool of ours.
import { connect, load } from "./postgresql.mjs";

const { makeWorkerUtils, run, Logger } = load("graphile-worker");
const logger = new Logger(() => () => {});

export const prepare = async ({ max }) => {
  const pgPool = connect({ max });
  pgPool.on("error", () => {}); // which Graphile Worker asks for
  return { pgPool, utils: await makeWorkerUtils({ pgPool, logger }) };
};

export const work = (pgPool, taskList, worker) => run({ pgPool, taskList, logger, noHandleSignals: true, preset: { worker } });
