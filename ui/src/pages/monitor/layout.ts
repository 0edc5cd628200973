/** Where the steps of a graph stand: in layers from left to right, each after all that it needs. Pure. */

export interface Node {
  step: string;
  needs: readonly string[];
}

export interface Place {
  layer: number;
  row: number;
}

export interface Layout {
  places: ReadonlyMap<string, Place>;
  layers: readonly (readonly string[])[];
}

const SWEEPS = 3;

/** Layers by the longest way from a step that needs nothing; within a layer, near what a step needs. */
export function layOut(nodes: readonly Node[]): Layout {
  const layerOf = layersOf(nodes);
  const layers: string[][] = [];
  for (const node of nodes) {
    const layer = layerOf.get(node.step) ?? 0;
    while (layers.length <= layer) layers.push([]);
    layers[layer]?.push(node.step);
  }
  const needs = new Map(nodes.map((node) => [node.step, node.needs]));
  const dependents = dependentsOf(nodes);
  const rows = new Map<string, number>();
  for (const layer of layers) note(layer, rows);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    for (let at = 1; at < layers.length; at += 1) arrange(layers[at], needs, rows);
    for (let at = layers.length - 2; at >= 0; at -= 1) arrange(layers[at], dependents, rows);
  }
  for (let at = 1; at < layers.length; at += 1) arrange(layers[at], needs, rows);
  const places = new Map<string, Place>();
  layers.forEach((steps, layer) => {
    steps.forEach((step, row) => {
      places.set(step, { layer, row });
    });
  });
  return { places, layers };
}

/** The step that an arrow key leads to: along the arrows, or up and down in the same layer. */
export function neighbour(layout: Layout, nodes: readonly Node[], from: string, key: string): string | undefined {
  const place = layout.places.get(from);
  if (!place) return undefined;
  const layer = layout.layers[place.layer];
  if (key === "ArrowUp") return layer?.[place.row - 1];
  if (key === "ArrowDown") return layer?.[place.row + 1];
  const linked =
    key === "ArrowLeft"
      ? nodes.find((node) => node.step === from)?.needs
      : key === "ArrowRight"
        ? dependentsOf(nodes).get(from)
        : undefined;
  return linked?.find((step) => layout.places.has(step));
}

function dependentsOf(nodes: readonly Node[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const node of nodes) {
    for (const need of node.needs) {
      const list = found.get(need);
      if (list) list.push(node.step);
      else found.set(need, [node.step]);
    }
  }
  return found;
}

/** Without recursion, since a chain may be a thousand steps long; what goes in a circle stays in the first layer. */
function layersOf(nodes: readonly Node[]): Map<string, number> {
  const known = new Set(nodes.map((node) => node.step));
  const open = new Map(nodes.map((node) => [node.step, node.needs.filter((need) => known.has(need)).length]));
  const dependents = dependentsOf(nodes);
  const layers = new Map<string, number>();
  const waiting = nodes.filter((node) => open.get(node.step) === 0).map((node) => node.step);
  for (const step of waiting) layers.set(step, 0);
  for (let at = 0; at < waiting.length; at += 1) {
    const step = waiting[at] as string;
    const next = (layers.get(step) ?? 0) + 1;
    for (const dependent of dependents.get(step) ?? []) {
      layers.set(dependent, Math.max(layers.get(dependent) ?? 0, next));
      const left = (open.get(dependent) ?? 0) - 1;
      open.set(dependent, left);
      if (left === 0) waiting.push(dependent);
    }
  }
  return layers;
}

function arrange(
  layer: string[] | undefined,
  linked: ReadonlyMap<string, readonly string[]>,
  rows: Map<string, number>,
): void {
  if (!layer) return;
  const centre = (step: string): number => {
    const near = (linked.get(step) ?? []).map((each) => rows.get(each)).filter((row) => row !== undefined);
    return near.length === 0 ? (rows.get(step) ?? 0) : near.reduce((sum, row) => sum + row, 0) / near.length;
  };
  const centres = new Map(layer.map((step) => [step, centre(step)]));
  layer.sort((one, other) => (centres.get(one) ?? 0) - (centres.get(other) ?? 0));
  note(layer, rows);
}

function note(layer: readonly string[], rows: Map<string, number>): void {
  layer.forEach((step, row) => {
    rows.set(step, row);
  });
}
