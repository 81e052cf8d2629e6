import type { Operator as PipelineOperator } from '#client';

/** A node of the drawing of a pipeline, with its place in pixels. */
export interface GraphNode {
  /** JSON pointer of the operator; `source` for a stream that is read. */
  path: string;
  operator: string;
  /** What the operator does, in a few words. */
  label: string;
  x: number;
  y: number;
}

interface GraphEdge {
  from: string;
  to: string;
  label?: string | undefined;
}

export const nodeSize = { width: 220, height: 74 };
const gap = { x: 44, y: 40 };
/** How far a branch stands to the right of its operator in a narrow drawing. */
const indent = 28;

type Operator = Readonly<Record<string, unknown>>;

interface BranchPart {
  when?: string;
  otherwise?: boolean;
  operators: readonly Operator[];
}

interface Chain {
  operators: readonly Operator[];
  /** JSON pointer of the operators. */
  at: string;
  /** The node before the chain, and the label of the line from it. */
  after: string;
  label?: string | undefined;
  /** The leftmost column of the chain, in columns of the drawing. */
  column: number;
  row: number;
  /** Number of branches that the chain is in. */
  depth: number;
}

/**
 * Places the source and the operators of a pipeline from top to bottom. Branches stand beside each other; in a narrow
 * drawing they stand below each other, indented.
 */
export function pipelineGraph(
  source: { streams: readonly string[] },
  operators: readonly Operator[],
  { isNarrow = false } = {},
) {
  const nodes: GraphNode[] = [];
  const edges: GraphEdge[] = [];
  const place = (
    node: Omit<GraphNode, 'x' | 'y'>,
    { operators, column, row, depth }: Pick<Chain, 'operators' | 'column' | 'row' | 'depth'>,
  ) => {
    const middle = column + (widthOf(operators) - 1) / 2;
    const x = isNarrow ? depth * indent : middle * (nodeSize.width + gap.x);
    const line = isNarrow ? nodes.length : row;
    nodes.push({ ...node, x, y: line * (nodeSize.height + gap.y) });
  };
  const placeChain = ({ at, after, label, ...chain }: Chain) => {
    chain.operators.forEach((operator, index) => {
      const path = `${at}/${index}`;
      const row = chain.row + index;
      const [name = 'unknown', spec] = Object.entries(operator)[0] ?? [];
      place({ path, operator: name, label: labelOf(name, spec) }, { ...chain, row });
      edges.push(index === 0 ? { from: after, to: path, label } : { from: `${at}/${index - 1}`, to: path });
      let { column } = chain;
      for (const [i, { operators, otherwise, when }] of branchesOf(name === 'branch' && spec).entries()) {
        const branch = { operators, at: `${path}/branch/${i}/operators`, after: path, column };
        const label = otherwise ? 'otherwise' : when;
        placeChain({ ...branch, label, row: row + 1, depth: chain.depth + 1 });
        column += widthOf(operators);
      }
    });
  };
  const root = { operators, column: 0, depth: 0 };
  place({ path: 'source', operator: 'source', label: source.streams.join(', ') }, { ...root, row: 0 });
  placeChain({ ...root, at: '/operators', after: 'source', row: 1 });
  const width = Math.max(...nodes.map(({ x }) => x + nodeSize.width));
  const height = Math.max(...nodes.map(({ y }) => y + nodeSize.height));
  return { nodes, edges, width, height };
}

/** Returns the columns that a list of operators takes: those of its widest branch. */
function widthOf(operators: readonly Operator[]): number {
  const widths = operators.map(({ branch }) =>
    branchesOf(branch).reduce((sum, { operators }) => sum + widthOf(operators), 0),
  );
  return Math.max(1, ...widths);
}

function branchesOf(spec: unknown): readonly BranchPart[] {
  return Array.isArray(spec) ? (spec as BranchPart[]) : [];
}

/** What a part of a pipeline reads: its source, or the right side of a join. */
interface EventSelection {
  streams: readonly string[];
  event_types?: readonly string[] | null | undefined;
}

/** Returns the filter of the events that a pipeline reads, in its source and in the right sides of its joins. */
export function readBy({ source, operators }: { source: EventSelection; operators: readonly object[] }): {
  stream: string[];
  event_type: string[] | undefined;
} {
  const all = [source, ...rightSides(operators)];
  const isAnyType = all.some(({ event_types }) => !event_types);
  return {
    stream: [...new Set(all.flatMap(({ streams }) => streams))],
    event_type: isAnyType ? undefined : [...new Set(all.flatMap(({ event_types }) => event_types ?? []))],
  };
}

/** Returns the filter of the events that a definition reads; undefined if the definition is not complete. */
export function readByText(definition: string): ReturnType<typeof readBy> | undefined {
  try {
    const filter = readBy(JSON.parse(definition) as Parameters<typeof readBy>[0]);
    return filter.stream.length > 0 ? filter : undefined;
  } catch {
    // The editor shows the error of a text that is no definition yet.
    return undefined;
  }
}

function rightSides(operators: readonly object[]): EventSelection[] {
  return operators.flatMap((operator) =>
    Object.entries(operator).flatMap(([name, spec]: [string, unknown]) => {
      if (name === 'branch') return branchesOf(spec).flatMap((one) => rightSides(one.operators));
      return name === 'join' ? [(spec as { with: EventSelection }).with] : [];
    }),
  );
}

/** Names of operators, as the client's types know them: an operator that is added there needs a label here. */
type OperatorName = KeyOfEach<PipelineOperator>;
type KeyOfEach<Union> = Union extends unknown ? keyof Union : never;

/** What an operator does, in a few words, by its name. The definition may come from a newer version: nothing is certain. */
const labels: Record<OperatorName, (spec: Readonly<Record<string, unknown>>) => string> = {
  filter: () => '',
  map: ({ data, event_type }) => mapText(data ?? event_type),
  flat_map: ({ list }) => String(list),
  enrich: ({ from }) => `from ${sideInput(from)}`,
  dedupe: ({ key, within }) => `${String(key)} within ${String(within)}`,
  window: (spec) => `${windowText(spec)} by ${String(spec['key'])}`,
  reduce: (fields) => Object.keys(fields).join(', '),
  expect: ({ as, within }) => `${String(as)} after ${String(within)}`,
  join: ({ with: right }) => `with ${streamsOf(right)}`,
  branch: (cases) => `${branchesOf(cases).length} branches`,
  emit: ({ stream }) => `→ ${String(stream)}`,
  webhook: ({ url }) => `→ ${String(url)}`,
};

function labelOf(name: string, spec: unknown): string {
  if (['string', 'number', 'boolean'].includes(typeof spec)) return String(spec);
  const label = Object.hasOwn(labels, name) ? labels[name as OperatorName] : () => '';
  return label((spec ?? {}) as Readonly<Record<string, unknown>>);
}

function streamsOf(right: unknown): string {
  const { streams } = (right ?? {}) as { streams?: unknown };
  return Array.isArray(streams) ? streams.join(', ') : '';
}

function sideInput(from: unknown): string {
  const { projection } = (from ?? {}) as { projection?: string };
  return projection ?? 'a table';
}

function mapText(mapped: unknown): string {
  if (typeof mapped === 'string') return mapped;
  return Object.keys(mapped ?? {}).join(', ');
}

function windowText(window: Record<string, unknown>): string {
  const { tumbling, hopping, session, calendar, zone } = window;
  if (typeof calendar === 'string') return `each ${calendar} in ${String(zone)}`;
  if (typeof tumbling === 'string') return `each ${tumbling}`;
  if (typeof session === 'string') return `session, gap ${session}`;
  const { size, every } = (hopping ?? {}) as { size?: string; every?: string };
  return `${size} every ${every}`;
}
