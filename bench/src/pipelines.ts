import { setTimeout as sleep } from 'node:timers/promises';
import { type Stack, topicOf } from '#testkit';
import { observed, type Bench, type Observed } from './bench.js';
import { emittedTotals } from './emitted-totals.js';
import { GroupProgress } from './group-progress.js';
import { preparedEvents } from './load/closed-loop.js';
import { MemorySampler } from './memory-sampler.js';
import { backlogSeed, newGroup, type Seen } from './projections.js';
import { benchEvents } from './workload.js';

/** A pipeline over a backlog. */
export interface PipelineJob {
  name: string;
  /** Its source. */
  stream: string;
  /** Up to the emit, which is added. */
  operators: readonly object[];
  /** Windows among them. */
  stages: number;
  /** The least amount that it lets through. */
  least: number;
}

export interface Drained extends Omit<Observed<unknown>, 'result'> {
  first: Seen;
  last: Seen;
  /** Events that it has emitted. */
  results: number;
  /** Most megabytes of the processor. */
  memory: number;
}

/** With nothing more to come a window closes by the clock: that is not what is measured. */
const idleAfter = '2s';
const limitMs = 120_000;

/**
 * Has one processor run a pipeline over a backlog, from nothing. The process is started for it. Afterwards the pipeline and
 * what it has emitted are gone.
 * @throws when what was emitted is not what the backlog comes to
 */
export async function drain(
  bench: Bench,
  stack: Stack,
  { job, events }: { job: PipelineJob; events: number },
): Promise<Drained> {
  const [processor] = stack.processors;
  if (!processor) throw new Error('the stack has no processor');
  if (processor.running) await processor.stop();
  const known = new Set(await GroupProgress.groups(bench.engines.brokers));
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

/** From the first commit in the source to the one after which the stages have read all that was forwarded. */
async function followed(
  bench: Bench,
  stack: Stack,
  { job, group }: { job: PipelineJob; group: string },
): Promise<{ first: Seen; last: Seen } & Omit<Observed<unknown>, 'result'>> {
  const { brokers } = bench.engines;
  const source = await GroupProgress.open({ brokers, group, topic: await topicOf(stack, job.stream) });
  try {
    const first = await source.past(0);
    const { result: last, cpuSeconds } = await observed(bench, stack, async () => {
      let seen = await source.past(source.end - 1);
      // Committed means saved, and saved means acknowledged: all that is forwarded is in the topics now.
      for (const topic of await stageTopics(stack, job)) {
        const stage = await GroupProgress.open({ brokers, group, topic });
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

async function stageTopics(stack: Stack, { name, stages }: PipelineJob): Promise<string[]> {
  const { internal_topics } = await figures(stack, name);
  // That for replays is of no stage.
  const found = internal_topics.filter(({ stage }) => stage !== '').map(({ topic }) => topic);
  if (found.length === stages) return found;
  throw new Error(`the pipeline has topics of ${found.length} stages, not of ${stages}`);
}

/** How many events were emitted. @throws when they are not those that the backlog comes to */
async function checked(
  bench: Bench,
  stack: Stack,
  { job, target, events }: { job: PipelineJob; target: string; events: number },
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

/** The load is the same events again and again: what comes of them is known. */
function expectedOf({ stream, least }: PipelineJob, events: number): { orders: number; cents: number } {
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

async function figures(stack: Stack, name: string): Promise<Figures> {
  const answer = await stack.core.get(`/api/v1/pipelines/${name}`);
  if (answer.status !== 200) throw new Error(`the pipeline was not shown: ${answer.status} ${answer.text}`);
  return answer.json<Figures>();
}

async function define(stack: Stack, { name, stream, operators }: PipelineJob, target: string): Promise<void> {
  const { status, text } = await stack.core.post('/api/v1/pipelines', {
    name,
    source: { streams: [stream], idle_after: idleAfter },
    operators: [...operators, { emit: { stream: target } }],
  });
  if (status !== 201) throw new Error(`the pipeline was not defined: ${status} ${text}`);
}

async function removed(stack: Stack, name: string, target: string): Promise<void> {
  for (const path of [`/api/v1/pipelines/${name}`, `/api/v1/streams/${target}?confirm=${target}`]) {
    const { status, text } = await stack.core.send('DELETE', path);
    if (status !== 204) throw new Error(`${path} was not deleted: ${status} ${text}`);
  }
}
