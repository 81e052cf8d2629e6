import type { PipelineWithStats, ProjectionWithStats, SubscriptionWithStats } from '#client';

/** What a node of the map is. */
export type MapNodeKind = 'stream' | 'pipeline' | 'projection' | 'subscription' | 'webhook';

export interface MapNode {
  id: string;
  kind: MapNodeKind;
  /** The name of the resource; of a webhook its URL. */
  name: string;
  /** The pipeline, the projection or the subscription; of a webhook the pipeline that calls it. */
  job?: MapJob;
}

/** Status and counts of a pipeline, a projection or a subscription. */
export type MapJob = Pick<PipelineWithStats, 'name' | 'lag' | 'failure'> & {
  status: ProjectionWithStats['status'];
  processed?: number;
  failed?: number;
  retrying?: PipelineWithStats['retrying'] | number;
} & Partial<Pick<SubscriptionWithStats, 'outstanding' | 'parked'>>;

/** How events or states get from one node to another. */
export type Flow = 'read by' | 'joined by' | 'looked up by' | 'emits to' | 'late events to' | 'calls';

export interface MapEdge {
  from: MapNode;
  to: MapNode;
  flow: Flow;
}

export interface SystemMap {
  nodes: readonly MapNode[];
  edges: readonly MapEdge[];
}

type ReadingJob = MapJob & { source: { streams: readonly string[] } };
type Pipeline = ReadingJob & { operators: readonly object[] };

interface Jobs {
  pipelines: readonly Pipeline[];
  projections: readonly ReadingJob[];
  subscriptions?: readonly ReadingJob[];
}

/** Returns the streams that jobs read and write, the jobs, and their webhooks. Other streams have no edge. */
export function systemMap({ pipelines, projections, subscriptions = [] }: Jobs): SystemMap {
  const nodes = new Map<string, MapNode>();
  const edges = new Map<string, MapEdge>();
  const nodeOf = (kind: MapNodeKind, name: string, { job, of = '' }: { job?: MapJob; of?: string } = {}) => {
    const id = `${kind}:${of}${name}`;
    const node = nodes.get(id) ?? { id, kind, name };
    if (job) node.job = job;
    nodes.set(id, node);
    return node;
  };
  const connect = (from: MapNode, flow: Flow, to: MapNode) =>
    edges.set(`${from.id}\n${flow}\n${to.id}`, { from, flow, to });
  const reader = (kind: MapNodeKind, job: ReadingJob) => {
    const node = nodeOf(kind, job.name, { job });
    for (const stream of job.source.streams) connect(nodeOf('stream', stream), 'read by', node);
    return node;
  };
  for (const projection of projections) reader('projection', projection);
  for (const subscription of subscriptions) reader('subscription', subscription);
  for (const pipeline of pipelines) {
    const node = reader('pipeline', pipeline);
    for (const { flow, name } of flowsOf(pipeline.operators)) {
      if (flow === 'joined by') connect(nodeOf('stream', name), flow, node);
      else if (flow === 'looked up by') connect(nodeOf('projection', name), flow, node);
      else if (flow === 'calls')
        connect(node, flow, nodeOf('webhook', name, { job: pipeline, of: `${pipeline.name}\n` }));
      else connect(node, flow, nodeOf('stream', name));
    }
  }
  return {
    nodes: [...nodes.values()].sort((a, b) => compared(a.name, b.name)),
    edges: [...edges.values()].sort(
      (a, b) => compared(a.from.name, b.from.name) || compared(a.to.name, b.to.name),
    ),
  };
}

function compared(a: string, b: string): number {
  return Number(a > b) - Number(a < b);
}

interface PipelineFlow {
  flow: Flow;
  name: string;
}

/** Members of operators. The definition may come from a newer version: nothing is certain. */
interface OperatorSpec {
  stream?: unknown;
  url?: unknown;
  late?: { stream?: unknown } | null;
  with?: { streams?: unknown } | null;
  from?: { projection?: unknown } | null;
}

/** Returns what the operators of a pipeline read beside its source, and where they write. */
function flowsOf(operators: readonly object[]): PipelineFlow[] {
  return operators
    .flatMap((operator): [string, unknown][] => Object.entries(operator))
    .flatMap(([name, spec]) => {
      if (Array.isArray(spec))
        return spec.flatMap((branch: { operators?: readonly object[] }) => flowsOf(branch.operators ?? []));
      const { stream, url, late, with: right, from } = (spec ?? {}) as OperatorSpec;
      const of = (flow: Flow, ...names: unknown[]) =>
        names.filter((name) => typeof name === 'string').map((name) => ({ flow, name }));
      return [
        ...(name === 'emit' ? of('emits to', stream) : []),
        ...(name === 'webhook' ? of('calls', url) : []),
        ...(name === 'join' ? of('joined by', ...[right?.streams].flat()) : []),
        ...(name === 'enrich' ? of('looked up by', from?.projection) : []),
        ...of('late events to', late?.stream),
      ];
    });
}

/** Returns the edges of the nodes whose name begins with a prefix, and the nodes at their ends. */
export function ofPrefix({ nodes, edges }: SystemMap, prefix: string): SystemMap {
  if (prefix === '') return { nodes, edges };
  const kept = edges.filter((edge) => edge.from.name.startsWith(prefix) || edge.to.name.startsWith(prefix));
  const ends = new Set(kept.flatMap(({ from, to }) => [from, to]));
  return { nodes: nodes.filter((node) => ends.has(node) || node.name.startsWith(prefix)), edges: kept };
}

/** Returns how urgent the state of a node is; undefined if it needs no attention. */
export function toneOf({ kind, job }: MapNode): 'bad' | 'warn' | undefined {
  if (!job) return undefined;
  if (kind === 'webhook') return job.retrying ? 'bad' : undefined;
  if (job.status === 'failed') return 'bad';
  return job.failed || job.parked || job.status === 'paused' || job.retrying ? 'warn' : undefined;
}
