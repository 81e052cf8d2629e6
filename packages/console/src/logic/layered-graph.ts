/** A line of a layered graph, as names of its ends. */
export interface GraphLine {
  from: string;
  to: string;
}

export type Point = readonly [x: number, y: number];

/** The positions of a graph in pixels: of a node the upper left corner, of a line its points from left to right. */
export interface GraphLayout {
  /** In reading order: by layer, and from top to bottom in it. */
  nodes: { id: string; x: number; y: number }[];
  lines: { from: string; to: string; points: Point[] }[];
  width: number;
  height: number;
}

interface GraphSizes {
  node: { width: number; height: number };
  gap: { x: number; y: number };
}

/** A node, or where a line passes a layer. */
interface Slot {
  id: string;
  layer: number;
  height: number;
  before: Slot[];
  after: Slot[];
  /** The middle. */
  y: number;
}

const sweeps = 6;

/**
 * Places nodes in layers from left to right: each node is right of all nodes that lead to it. In a layer, nodes are
 * ordered by the nodes beside them, so that few lines cross. A line that closes a cycle leads back.
 */
export function layeredGraph(
  ids: readonly string[],
  lines: readonly GraphLine[],
  { node, gap }: GraphSizes,
): GraphLayout {
  const back = linesBack(ids, lines);
  const layerOf = layersOf(
    ids,
    lines.filter((line) => !back.has(line)),
  );
  const layers: Slot[][] = [];
  const add = (id: string, layer: number, height: number): Slot => {
    const slot: Slot = { id, layer, height, before: [], after: [], y: 0 };
    (layers[layer] ??= []).push(slot);
    return slot;
  };
  const slots = new Map(ids.map((id) => [id, add(id, layerOf.get(id)!, node.height)]));
  const paths = lines.map((line) => {
    const [first, last] = [slots.get(line.from)!, slots.get(line.to)!];
    if (back.has(line)) return [first, last];
    const path = [first];
    for (let layer = first.layer + 1; layer < last.layer; layer++) path.push(add('', layer, 0));
    path.push(last);
    path.slice(1).forEach((slot, i) => {
      slot.before.push(path[i]!);
      path[i]!.after.push(slot);
    });
    return path;
  });
  for (let sweep = 0; sweep < sweeps; sweep++) order(layers, sweep % 2 === 0 ? 'before' : 'after');
  for (const layer of layers) stackUp(layer, gap.y);
  for (const side of ['before', 'after', 'before'] as const)
    for (const layer of inDirection(layers, side)) align(layer, side, gap.y);
  const top = Math.min(0, ...layers.flat().map(({ y, height }) => y - height / 2));
  const xOf = ({ layer }: Slot) => layer * (node.width + gap.x);
  const yOf = ({ y }: Slot) => Math.round(y - top);
  return {
    nodes: layers
      .flat()
      .filter(({ id }) => id !== '')
      .map((slot) => ({ id: slot.id, x: xOf(slot), y: yOf(slot) - node.height / 2 })),
    lines: paths.map((path, i) => ({
      from: lines[i]!.from,
      to: lines[i]!.to,
      points: path.flatMap((slot, at): Point[] => {
        const left: Point = [xOf(slot), yOf(slot)];
        const right: Point = [xOf(slot) + node.width, yOf(slot)];
        return at === 0 ? [right] : at === path.length - 1 ? [left] : [left, right];
      }),
    })),
    width: layers.length * (node.width + gap.x) - gap.x,
    height: Math.max(0, ...layers.flat().map((slot) => yOf(slot) + slot.height / 2)),
  };
}

/** Returns the lines that lead back to a node on the way to them. Without them, the graph has no cycle. */
function linesBack(ids: readonly string[], lines: readonly GraphLine[]): ReadonlySet<GraphLine> {
  const leaving = linesFrom(lines);
  const back = new Set<GraphLine>();
  const states = new Map<string, 'open' | 'done'>();
  for (const start of ids) {
    if (states.has(start)) continue;
    const way = [{ id: start, rest: [...(leaving.get(start) ?? [])] }];
    states.set(start, 'open');
    while (way.length > 0) {
      const { id, rest } = way.at(-1)!;
      const line = rest.shift();
      if (line === undefined) {
        states.set(id, 'done');
        way.pop();
      } else if (states.get(line.to) === 'open') back.add(line);
      else if (!states.has(line.to)) {
        states.set(line.to, 'open');
        way.push({ id: line.to, rest: [...(leaving.get(line.to) ?? [])] });
      }
    }
  }
  return back;
}

function linesFrom(lines: readonly GraphLine[]): ReadonlyMap<string, readonly GraphLine[]> {
  const leaving = new Map<string, GraphLine[]>();
  for (const line of lines) leaving.set(line.from, [...(leaving.get(line.from) ?? []), line]);
  return leaving;
}

/** Returns for each node the number of lines on the longest way to it. */
function layersOf(ids: readonly string[], lines: readonly GraphLine[]): ReadonlyMap<string, number> {
  const leaving = linesFrom(lines);
  const missing = new Map(ids.map((id) => [id, 0]));
  for (const { to } of lines) missing.set(to, missing.get(to)! + 1);
  const layers = new Map(ids.map((id) => [id, 0]));
  const ready = ids.filter((id) => missing.get(id) === 0);
  for (const id of ready)
    for (const { to } of leaving.get(id) ?? []) {
      layers.set(to, Math.max(layers.get(to)!, layers.get(id)! + 1));
      missing.set(to, missing.get(to)! - 1);
      if (missing.get(to) === 0) ready.push(to);
    }
  return layers;
}

type Side = 'before' | 'after';

function inDirection(layers: readonly Slot[][], side: Side): readonly Slot[][] {
  return side === 'before' ? layers : layers.toReversed();
}

/** Sorts each layer by the mean position of the slots on one side. */
function order(layers: readonly Slot[][], side: Side): void {
  for (const layer of layers) layer.forEach((slot, i) => (slot.y = i));
  for (const layer of inDirection(layers, side)) {
    const means = new Map(layer.map((slot) => [slot, meanOf(slot, side)]));
    layer.sort((a, b) => means.get(a)! - means.get(b)!);
    layer.forEach((slot, i) => (slot.y = i));
  }
}

function meanOf(slot: Slot, side: Side): number {
  const beside = slot[side];
  if (beside.length === 0) return slot.y;
  return beside.reduce((sum, { y }) => sum + y, 0) / beside.length;
}

/** Places the slots of a layer below each other. */
function stackUp(layer: readonly Slot[], gap: number): void {
  layer.forEach((slot, i) => (slot.y = i === 0 ? 0 : lowest(layer[i - 1]!, slot, gap)));
}

/** Returns the least position of a slot below another one. */
function lowest(above: Slot, slot: Slot, gap: number): number {
  return above.y + (above.height + slot.height) / 2 + gap;
}

/** Moves the slots of a layer towards those on one side; none overlaps the next. */
function align(layer: readonly Slot[], side: Side, gap: number): void {
  const means = layer.map((slot) => meanOf(slot, side));
  layer.forEach((slot, i) => {
    slot.y = i === 0 ? means[0]! : Math.max(means[i]!, lowest(layer[i - 1]!, slot, gap));
  });
  const shift = layer.reduce((sum, { y }, i) => sum + means[i]! - y, 0) / layer.length;
  for (const slot of layer) slot.y += shift;
}
