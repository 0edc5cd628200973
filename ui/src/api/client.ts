/** The only place that fetches: typed by the server's own document, with its errors as one class. */

import { noteAnswer, noteSilence } from "./connection";
import type { Fault, paths } from "./schema";

type Method = "get" | "post" | "put" | "patch" | "delete";
type PathsOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, { responses: unknown }> ? P : never;
}[keyof paths];
type OperationOf<P extends keyof paths, M extends Method> = paths[P] extends Record<M, infer O> ? O : never;
type JsonOf<R> = R extends { content: { "application/json": infer T } } ? T : undefined;
type AnswerOf<O> = O extends { responses: infer R }
  ? R extends { 200: infer A }
    ? JsonOf<A>
    : R extends { 201: infer A }
      ? JsonOf<A>
      : R extends { 202: infer A }
        ? JsonOf<A>
        : undefined
  : never;
type BodyOf<O> = O extends { requestBody: { content: { "application/json": infer B } } } ? B : never;
type Given<O, K extends "path" | "query"> = O extends { parameters: infer P }
  ? K extends keyof P
    ? P[K]
    : never
  : never;

/** What a call may be given; a body may also be text in YAML where the server takes that. */
export interface CallOptions<O> {
  path?: Given<O, "path">;
  query?: Given<O, "query">;
  body?: BodyOf<O>;
  yaml?: string;
  signal?: AbortSignal;
}

/** The server's word that something is wrong, or (status 0) that it cannot be reached at all. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly path: string | null;
  readonly problems: readonly { path: string; message: string }[];

  constructor(status: number, fault: Partial<Fault> & { code: string; message: string }) {
    super(fault.message);
    this.name = "ApiError";
    this.status = status;
    this.code = fault.code;
    this.path = fault.path ?? null;
    this.problems = (fault.problems ?? []).map(({ path = "", message = "" }) => ({ path, message }));
  }

  /** Whether asking again later may help. */
  get isAway(): boolean {
    return this.status === 0 || this.status >= 500;
  }
}

interface Kept {
  etag: string;
  body: unknown;
}

const MOST_KEPT = 32;
const kept = new Map<string, Kept>();

/** Calls the server. A GET sends the ETag that it has for the same address, and returns the same object on 304. */
export async function call<M extends Method, P extends PathsOf<M>>(
  method: M,
  path: P,
  options: CallOptions<OperationOf<P, M>> = {},
): Promise<AnswerOf<OperationOf<P, M>>> {
  const url = fill(path, options.path, options.query);
  const known = method === "get" ? kept.get(url) : undefined;
  const headers = new Headers({ accept: "application/json" });
  if (known) headers.set("if-none-match", known.etag);
  if (options.yaml !== undefined) headers.set("content-type", "application/yaml");
  else if (options.body !== undefined || method !== "get") headers.set("content-type", "application/json");
  const body = options.yaml ?? (method === "get" ? undefined : JSON.stringify(options.body ?? {}));
  const answer = await send(url, {
    method: method.toUpperCase(),
    headers,
    credentials: "same-origin",
    ...(body === undefined || method === "delete" ? {} : { body }),
    ...(options.signal ? { signal: options.signal } : {}),
  });
  if (answer.status === 304 && known) return known.body as AnswerOf<OperationOf<P, M>>;
  if (answer.status === 204 || answer.headers.get("content-length") === "0")
    return undefined as AnswerOf<OperationOf<P, M>>;
  const parsed: unknown = await answer.json();
  const etag = answer.headers.get("etag");
  if (method === "get" && etag) keep(url, { etag, body: parsed });
  return parsed as AnswerOf<OperationOf<P, M>>;
}

const PICTURE_WAIT_S = 5;

/** What a watched phone's screen shows, once it is another than the one of the ETag; null where it stayed the same for a while. */
export async function fetchPicture(
  deviceId: string,
  etag: string | null,
  signal: AbortSignal,
): Promise<{ blob: Blob; etag: string | null; ageMs: number } | null> {
  const url = fill("/api/devices/{device_id}/picture", { device_id: deviceId }, { wait_s: PICTURE_WAIT_S });
  const headers = new Headers(etag ? { "if-none-match": etag } : {});
  const answer = await send(url, { headers, credentials: "same-origin", cache: "no-store", signal });
  if (answer.status === 304) return null;
  const ageMs = Number(answer.headers.get("x-age-ms") ?? 0);
  return { blob: await answer.blob(), etag: answer.headers.get("etag"), ageMs };
}

async function send(url: string, init: RequestInit): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(url, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    noteSilence();
    throw new ApiError(0, { code: "unreachable", message: "The server cannot be reached." });
  }
  if (answer.ok || answer.status === 304) {
    noteAnswer();
    return answer;
  }
  const error = await read(answer);
  if (error.isAway) noteSilence();
  else noteAnswer();
  throw error;
}

async function read(answer: Response): Promise<ApiError> {
  try {
    const body = (await answer.json()) as { error: Fault };
    return new ApiError(answer.status, body.error);
  } catch {
    return new ApiError(answer.status, { code: "unknown", message: `${answer.status} ${answer.statusText}` });
  }
}

function keep(url: string, entry: Kept): void {
  kept.delete(url);
  kept.set(url, entry);
  const oldest = kept.keys().next();
  if (kept.size > MOST_KEPT && !oldest.done) kept.delete(oldest.value);
}

function fill(template: string, path: unknown, query: unknown): string {
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String((path as Record<string, unknown> | undefined)?.[name] ?? "")),
  );
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries((query as Record<string, unknown> | undefined) ?? {})) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined && each !== null && each !== "") search.append(name, String(each));
    }
  }
  const text = search.toString();
  return text ? `${filled}?${text}` : filled;
}
