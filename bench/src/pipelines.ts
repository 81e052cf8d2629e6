import { setTimeout as sleep } from 'node:timers/promises';
import { type TestSystem, topicOf } from '#testkit';
import { observed, type BenchContext, type ResultWithCpuTime } from './bench.js';
import { emittedTotals } from './emitted-totals.js';
import { GroupProgressPoller } from './group-progress.js';
import { preparedEvents } from './load/closed-loop.js';
import { MemorySampler } from './memory-sampler.js';
import { backlogSeed, newGroup, type ObservedOffsetCommit } from './projections.js';
import { benchEvents } from './workload.js';

/** A pipeline that the benchmark runs over a backlog of events. */
export interface BacklogPipeline {
  name: string;
  /** The source stream. */
  stream: string;
  /** The operators before the emit, which is added. */
  operators: readonly object[];
  /** The number of windows among the operators. */
  stages: number;
  /** The smallest amount that passes the pipeline's filter. */
  least: number;
}

/** Result of running a pipeline over a backlog. */
interface PipelineDrainResult extends Omit<ResultWithCpuTime<unknown>, 'result'> {
  first: ObservedOffsetCommit;
  last: ObservedOffsetCommit;
  /** The number of emitted events. */
  results: number;
  /** The maximum memory of the processor in MB. */
  memory: number;
}

/** After this idle time windows close by the clock, which is not measured. */
const idleAfter = '2s';
const limitMs = 120_000;

/**
 * Runs a pipeline over a backlog in a newly started processor. At the end, deletes the pipeline and its output.
 * @throws if the output does not match the backlog
 */
export async function drain(
  bench: BenchContext,
  stack: TestSystem,
  { job, events }: { job: BacklogPipeline; events: number },
): Promise<PipelineDrainResult> {
  const [processor] = stack.processors;
  if (!processor) throw new Error('the stack has no processor');
  if (processor.running) await processor.stop();
  const known = new Set(await GroupProgressPoller.groups(bench.engines.brokers));
  const target = `${job.name}_results`;
  await define(stack, job, target);
  const pids = (): Record<string, number> => (processor.running ? { processor: processor.pid } : {});
  const sampler = new MemorySampler(pids);
  try {
    processor.launch();
    const group = await newGroup(bench, `${stack.prefix}pipeline.`, known);
    const seen = await followed(bench, stack, { job, group });
    const memory = sampler.stop().processor?.max ?? NaN;
    const results = await checked(bench, stack, { job, target, events });
    await removed(stack, job.name, target);
    return { ...seen, results, memory };
  } finally {
    sampler.stop();
  }
}

/**
 * Follows the job from the first commit in the source to the commit after which the stages have read all forwarded
 * events.
 */
async function followed(
  bench: BenchContext,
  stack: TestSystem,
  { job, group }: { job: BacklogPipeline; group: string },
): Promise<
  { first: ObservedOffsetCommit; last: ObservedOffsetCommit } & Omit<ResultWithCpuTime<unknown>, 'result'>
> {
  const { brokers } = bench.engines;
  const source = await GroupProgressPoller.open({ brokers, group, topic: await topicOf(stack, job.stream) });
  try {
    const first = await source.past(0);
    const { result: last, cpuSeconds } = await observed(bench, stack, async () => {
      let seen = await source.past(source.end - 1);
      // A committed record is saved, and a saved record is acknowledged, so all forwarded events are in the topics
      // now.
      for (const topic of await stageTopics(stack, job)) {
        const stage = await GroupProgressPoller.open({ brokers, group, topic });
        try {
          seen = { ...seen, at: (await stage.past(stage.end - 1)).at };
        } finally {
          await stage.close();
        }
      }
      return seen;
    });
    return { first, last, cpuSeconds };
  } finally {
    await source.close();
  }
}

async function stageTopics(stack: TestSystem, { name, stages }: BacklogPipeline): Promise<string[]> {
  const { internal_topics } = await figures(stack, name);
  // The replay topic belongs to no stage.
  const found = internal_topics.filter(({ stage }) => stage !== '').map(({ topic }) => topic);
  if (found.length === stages) return found;
  throw new Error(`the pipeline has topics of ${found.length} stages, not of ${stages}`);
}

/** Returns the number of emitted events. @throws if they do not match the backlog */
async function checked(
  bench: BenchContext,
  stack: TestSystem,
  { job, target, events }: { job: BacklogPipeline; target: string; events: number },
): Promise<number> {
  const expected = expectedOf(job, events);
  const deadline = Date.now() + limitMs;
  const topic = await topicOf(stack, target);
  for (;;) {
    const found = await emittedTotals(bench.engines.brokers, topic);
    const { processed, emitted, dropped, late, failed } = await figures(stack, job.name);
    const isAll = found.orders === expected.orders && found.cents === expected.cents;
    const isCounted =
      processed === events && dropped === events - expected.orders && emitted === found.events;
    if (isAll && isCounted && late === 0 && failed === 0) return found.events;
    if (Date.now() > deadline || found.orders > expected.orders) {
      const seen = { found, expected, processed, emitted, dropped, late, failed };
      throw new Error(`what was emitted is not what was written: ${JSON.stringify(seen)}`);
    }
    await sleep(500);
  }
}

/** Returns the expected output: the load repeats the same events, so it can be computed. */
function expectedOf({ stream, least }: BacklogPipeline, events: number): { orders: number; cents: number } {
  const all = benchEvents(preparedEvents, { stream, seed: backlogSeed });
  let [orders, cents] = [0, 0];
  for (let i = 0; i < events; i++) {
    const amount = all[i % all.length]!.data.amount as number;
    if (amount < least) continue;
    orders++;
    cents += Math.round(amount * 100);
  }
  return { orders, cents };
}

interface Figures {
  processed: number;
  emitted: number;
  dropped: number;
  late: number;
  failed: number;
  internal_topics: { topic: string; stage: string }[];
}

async function figures(stack: TestSystem, name: string): Promise<Figures> {
  const answer = await stack.core.get(`/api/v1/pipelines/${name}`);
  if (answer.status !== 200) throw new Error(`the pipeline was not shown: ${answer.status} ${answer.text}`);
  return answer.json<Figures>();
}

async function define(
  stack: TestSystem,
  { name, stream, operators }: BacklogPipeline,
  target: string,
): Promise<void> {
  const { status, text } = await stack.core.post('/api/v1/pipelines', {
    name,
    source: { streams: [stream], idle_after: idleAfter },
    operators: [...operators, { emit: { stream: target } }],
  });
  if (status !== 201) throw new Error(`the pipeline was not defined: ${status} ${text}`);
}

async function removed(stack: TestSystem, name: string, target: string): Promise<void> {
  for (const path of [`/api/v1/pipelines/${name}`, `/api/v1/streams/${target}?confirm=${target}`]) {
    const { status, text } = await stack.core.send('DELETE', path);
    if (status !== 204) throw new Error(`${path} was not deleted: ${status} ${text}`);
  }
}
