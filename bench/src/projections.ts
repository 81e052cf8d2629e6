import { setTimeout as sleep } from 'node:timers/promises';
import { type TestSystem, topicOf } from '#testkit';
import { createStream, observed, type BenchContext, type ResultWithCpuTime } from './bench.js';
import { GroupProgressPoller } from './group-progress.js';
import { runClosedLoop } from './load/start.js';

/** The body of a request that defines a projection. */
export interface ProjectionRequestBody {
  name: string;
  source: { streams: string[]; where?: string };
  key?: string;
  fields: Record<string, { op: string; value?: string }>;
  history?: string;
}

/** Returns a projection with count, sum and maximum of the orders of each entity. */
export function byEntity(name: string, stream: string): ProjectionRequestBody {
  const value = 'event.data.amount';
  return {
    name,
    source: { streams: [stream] },
    key: 'event.entity_id',
    fields: { orders: { op: 'count' }, total: { op: 'sum', value }, largest: { op: 'max', value } },
  };
}

/**
 * Milliseconds to wait for the group: a million events take several saves before the first observed commit, and some
 * hundred after it.
 */
const groupLimitMs = 60_000;

/** The seed of a backlog's events. */
export const backlogSeed = 7;

/** Writes a backlog of events without a reader. @param entities see `ClosedLoopJob` */
export async function fillStream(
  stack: TestSystem,
  stream: string,
  { events, entities }: { events: number; entities?: number },
): Promise<void> {
  for (const app of [...stack.materializers, ...stack.processors]) if (app.running) await app.stop();
  await createStream(stack, stream);
  await runClosedLoop({
    urls: [stack.urls.ingest],
    ...{ stream, connections: 4, batchSize: 500, events, warmUpEvents: 0, seed: backlogSeed },
    ...(entities !== undefined && { entities }),
  });
}

/** The time of an observed commit, in milliseconds of some clock, and the number of committed records. */
export interface ObservedOffsetCommit {
  committed: number;
  at: number;
}

/**
 * Builds a projection in newly started processors. Returns the first observed commit, and the first one after each
 * of these numbers of records. They still run afterwards.
 */
export async function foldBacklog(
  bench: BenchContext,
  stack: TestSystem,
  { definition, marks }: { definition: ProjectionRequestBody; marks: readonly number[] },
): Promise<
  { first: ObservedOffsetCommit; marks: ObservedOffsetCommit[] } & Omit<ResultWithCpuTime<unknown>, 'result'>
> {
  const { processors } = stack;
  if (processors.length === 0) throw new Error('the stack has no processor');
  for (const processor of processors) if (processor.running) await processor.stop();
  const known = new Set(await GroupProgressPoller.groups(bench.engines.brokers));
  await define(stack, definition);
  for (const processor of processors) processor.launch();
  const group = await newGroup(bench, stack.topics.projectionGroup(''), known);
  const topic = await topicOf(stack, definition.source.streams[0]!);
  const progress = await GroupProgressPoller.open({ brokers: bench.engines.brokers, group, topic });
  try {
    const first = await progress.past(0);
    const { result, cpuSeconds } = await observed(bench, stack, async () => {
      const seen: ObservedOffsetCommit[] = [];
      for (const mark of marks) seen.push(await progress.past(mark - 1));
      return seen;
    });
    return { first, marks: result, cpuSeconds };
  } finally {
    await progress.close();
  }
}

export function rateBetween(first: ObservedOffsetCommit, last: ObservedOffsetCommit): number {
  return ((last.committed - first.committed) * 1000) / (last.at - first.at);
}

export async function define(
  stack: Pick<TestSystem, 'core'>,
  definition: ProjectionRequestBody,
): Promise<void> {
  const { status, text } = await stack.core.post('/api/v1/projections', definition);
  if (status !== 201) throw new Error(`the projection was not defined: ${status} ${text}`);
}

export async function remove(stack: TestSystem, name: string): Promise<void> {
  const { status, text } = await stack.core.send('DELETE', `/api/v1/projections/${name}`);
  if (status !== 204) throw new Error(`the projection was not deleted: ${status} ${text}`);
}

/** Resolves when the projection is in the desired state. */
export async function untilProjection(
  stack: TestSystem,
  name: string,
  wanted: (answer: Record<string, unknown>) => boolean,
): Promise<void> {
  const deadline = Date.now() + 300_000;
  while (Date.now() < deadline) {
    const answer = await stack.core.get(`/api/v1/projections/${name}`);
    if (answer.status === 200 && wanted(answer.json())) return;
    await sleep(100);
  }
  throw new Error(`the projection ${name} did not become what it should within five minutes`);
}

/** Returns the consumer group that a processor has created in addition to the known ones. */
export async function newGroup(
  bench: BenchContext,
  prefix: string,
  known: ReadonlySet<string>,
): Promise<string> {
  const deadline = Date.now() + groupLimitMs;
  while (Date.now() < deadline) {
    const groups = await GroupProgressPoller.groups(bench.engines.brokers);
    const group = groups.find((id) => id.startsWith(prefix) && !known.has(id));
    if (group !== undefined) return group;
    await sleep(50);
  }
  throw new Error('no processor has begun');
}
