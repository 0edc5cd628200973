/** A recipe's parameters as a form has them (text) and as the server is asked (values). */

import type { ParamSpec, Workflow } from "../../api/schema";

export type ParamTexts = Record<string, string>;

export interface RecipeStep {
  id: string;
  title?: string;
  uses: string;
  probability?: number;
}

export interface RecipeView {
  title: string;
  description: string;
  params: [string, ParamSpec][];
  steps: RecipeStep[];
}

export function recipeOf(workflow: Workflow): RecipeView {
  const { title, description, params, steps } = workflow.recipe as {
    title?: string;
    description?: string;
    params?: Record<string, ParamSpec>;
    steps?: RecipeStep[];
  };
  return {
    title: title || workflow.name,
    description: description ?? "",
    params: Object.entries(params ?? {}),
    steps: steps ?? [],
  };
}

export function isRequired(spec: ParamSpec): boolean {
  return spec.required ?? spec.default === undefined;
}

/** What the form starts with. */
export function initialTexts(params: readonly [string, ParamSpec][]): ParamTexts {
  return Object.fromEntries(
    params.map(([name, spec]) => [
      name,
      spec.default === undefined || spec.default === null ? "" : String(spec.default),
    ]),
  );
}

/** Only what differs from the default is sent: the recipe's own value stays the recipe's. */
export function valuesOf(params: readonly [string, ParamSpec][], texts: ParamTexts): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, spec] of params) {
    const text = texts[name] ?? "";
    if (text === (spec.default === undefined || spec.default === null ? "" : String(spec.default))) continue;
    if (spec.type === "boolean") values[name] = text === "true";
    else if ((spec.type === "number" || spec.type === "int") && text.trim() !== "" && !Number.isNaN(Number(text))) {
      values[name] = Number(text);
    } else values[name] = text;
  }
  return values;
}

export function missing(params: readonly [string, ParamSpec][], texts: ParamTexts): string[] {
  return params.filter(([name, spec]) => isRequired(spec) && (texts[name] ?? "") === "").map(([name]) => name);
}
