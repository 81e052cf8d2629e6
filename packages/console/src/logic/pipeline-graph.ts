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
  label?: string;
}

interface Graph {
  nodes: GraphNode[];
  edges: GraphEdge[];
  width: number;
  height: number;
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

/**
 * Places the source and the operators of a pipeline from top to bottom. Branches stand beside each other; in a narrow
 * drawing they stand below each other, indented.
 */
export function pipelineGraph(
  source: { streams: readonly string[] },
  operators: readonly Operator[],
  { isNarrow = false } = {},
): Graph {
  const layout = new Layout(isNarrow);
  const columns = Math.max(1, widthOf(operators));
  const label = source.streams.join(', ');
  layout.place({ path: 'source', operator: 'source', label, column: middle(0, columns), row: 0, depth: 0 });
  layout.chain(operators, {
    at: '/operators',
    after: { path: 'source' },
    column: 0,
    columns,
    row: 1,
    depth: 0,
  });
  return layout.graph();
}

interface ChainPlace {
  at: string;
  after: { path: string; label?: string };
  column: number;
  columns: number;
  row: number;
  /** Number of branches that the chain is in. */
  depth: number;
}

interface NodePlace {
  column: number;
  row: number;
  depth: number;
}

class Layout {
  private readonly nodes: GraphNode[] = [];
  private readonly edges: GraphEdge[] = [];

  constructor(private readonly isNarrow: boolean) {}

  place({ column, row, depth, ...node }: Omit<GraphNode, 'x' | 'y'> & NodePlace): void {
    const x = this.isNarrow ? depth * indent : column * (nodeSize.width + gap.x);
    const line = this.isNarrow ? this.nodes.length : row;
    this.nodes.push({ ...node, x, y: line * (nodeSize.height + gap.y) });
  }

  chain(operators: readonly Operator[], { at, after, column, columns, row, depth }: ChainPlace): void {
    let previous = after;
    operators.forEach((operator, index) => {
      const path = `${at}/${index}`;
      const [name = 'unknown', spec] = Object.entries(operator)[0] ?? [];
      const node = { path, operator: name, label: labelOf(name, spec) };
      this.place({ ...node, column: middle(column, columns), row: row + index, depth });
      this.edges.push({ from: previous.path, to: path, ...(previous.label && { label: previous.label }) });
      previous = { path };
      if (name === 'branch')
        this.branches(branchesOf(spec), { path, column, row: row + index + 1, depth: depth + 1 });
    });
  }

  private branches(
    branches: readonly BranchPart[],
    { path, column, row, depth }: NodePlace & { path: string },
  ): void {
    let left = column;
    branches.forEach((branch, index) => {
      const columns = Math.max(1, widthOf(branch.operators));
      const after = { path, label: branch.otherwise ? 'otherwise' : (branch.when ?? '') };
      const at = `${path}/branch/${index}/operators`;
      this.chain(branch.operators, { at, after, column: left, columns, row, depth });
      left += columns;
    });
  }

  graph(): Graph {
    const width = Math.max(...this.nodes.map(({ x }) => x + nodeSize.width));
    const height = Math.max(...this.nodes.map(({ y }) => y + nodeSize.height));
    return { nodes: this.nodes, edges: this.edges, width, height };
  }
}

function middle(column: number, columns: number): number {
  return column + (columns - 1) / 2;
}

/** Returns the columns that a list of operators takes: those of its widest branch. */
function widthOf(operators: readonly Operator[]): number {
  const widths = operators.map(({ branch }) =>
    branchesOf(branch).reduce((sum, { operators }) => sum + Math.max(1, widthOf(operators)), 0),
  );
  return Math.max(1, ...widths);
}

function branchesOf(spec: unknown): readonly BranchPart[] {
  return Array.isArray(spec) ? (spec as BranchPart[]) : [];
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
  branch: (cases) => `${branchesOf(cases).length} branches`,
  emit: ({ stream }) => `→ ${String(stream)}`,
  webhook: ({ url }) => `→ ${String(url)}`,
};

function labelOf(name: string, spec: unknown): string {
  if (['string', 'number', 'boolean'].includes(typeof spec)) return String(spec);
  const label = Object.hasOwn(labels, name) ? labels[name as OperatorName] : () => '';
  return label((spec ?? {}) as Readonly<Record<string, unknown>>);
}

function sideInput(from: unknown): string {
  const { projection } = (from ?? {}) as { projection?: string };
  return projection ?? 'a table';
}

function mapText(mapped: unknown): string {
  if (typeof mapped === 'string') return mapped;
  return Object.keys(mapped ?? {}).join(', ');
}

function windowText({ tumbling, hopping, session }: Record<string, unknown>): string {
  if (typeof tumbling === 'string') return `each ${tumbling}`;
  if (typeof session === 'string') return `session, gap ${session}`;
  const { size, every } = (hopping ?? {}) as { size?: string; every?: string };
  return `${size} every ${every}`;
}
