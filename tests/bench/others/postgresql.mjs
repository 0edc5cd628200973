// What the scripts for Node share: modules are those of the folder NODE_MODULES, PostgreSQL is where PGHOST and so on say.
import { createRequire } from "node:module";

export const load = createRequire(`${process.env.NODE_MODULES}/`);

const { PGHOST: host, PGPORT: port, PGUSER: user, PGDATABASE: database } = process.env;
export const server = { host, port: Number(port), user, database };

const { Pool } = load("pg");

export const connect = (options = {}) => new Pool({ ...server, ...options });
