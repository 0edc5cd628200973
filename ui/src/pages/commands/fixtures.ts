/** Contracts and commands as the server publishes them, for tests. */

import type { ActionContract, Command } from "../../api/schema";

const SCHEMA = {
  $ref: "#/$defs/LoginArgs",
  $defs: {
    LoginArgs: {
      type: "object",
      properties: {
        package: { description: "The app's package name.", type: "string", maxLength: 255 },
        activity: { anyOf: [{ description: "The activity.", type: "string" }, { type: "null" }], default: null },
        fields: { description: "In order.", type: "array", items: { $ref: "#/$defs/LoginField" }, minItems: 1 },
        headers: { type: "object", additionalProperties: { type: "string" }, default: {} },
        script: { type: "string", maxLength: 20_000 },
        wait_s: { type: "number", minimum: 0, maximum: 3600, default: 20 },
        times: { type: "integer", minimum: 1, maximum: 9 },
        exit_code: { anyOf: [{ type: "integer", minimum: 0, maximum: 255 }, { type: "null" }], default: 0 },
        clear: { type: "boolean", default: true },
        match: { enum: ["contains", "exact"], default: "contains" },
        data: { type: "object", default: {} },
      },
      required: ["package", "fields"],
    },
    LoginField: {
      description: "One field.",
      type: "object",
      properties: { field: { type: "string" }, value: { type: "string" } },
      required: ["field", "value"],
    },
  },
};

export const LOGIN: ActionContract = {
  name: "app.login",
  summary: "Open an app, fill in the named fields.",
  modes: ["device"],
  args_schema: SCHEMA,
  exclusive: [["script", "data"]],
  repeatable: false,
  default_timeout_s: 120,
  capability: null,
};

export function command(name: string, more: Partial<Command> = {}): Command {
  return {
    command_id: `id-of-${name}`,
    name,
    title: null,
    description: null,
    uses: "device.screenshot",
    with_params: {},
    params: {},
    timeout_s: null,
    timeout_bounds_s: null,
    on_failure: null,
    retries: null,
    repeatable: null,
    tags: [],
    revision: 1,
    used_by: [],
    created_at: "2026-01-01T00:00:00Z",
    updated_at: "2026-01-01T00:00:00Z",
    ...more,
  };
}
