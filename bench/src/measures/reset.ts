import type { TestSystem } from '#testkit';
import { eachRun, withStack, type BenchContext } from '../bench.js';
import { KeepAliveConnection } from '../http/connection.js';
import { pageRequest } from '../pages/time-pages.js';
import { byEntity, define, fillStream, untilProjection } from '../projections.js';
import { figure, type MeasuredFigure } from '../report.js';
import { percentile } from '../statistics.js';
import { entities, randomFrom } from '../workload.js';

const defaultEvents = 1_000_000;
const name = 'sums';

interface Resetted {
  seconds: number;
  /** Milliseconds of each read during the reset. */
  reads: number[];
}

/** RESET: a projection is rebuilt over the whole log with the same definition, while the serving generation is read. */
export async function reset(bench: BenchContext): Promise<MeasuredFigure[]> {
  const events = bench.options.events ?? defaultEvents;
  const runs = await withStack(
    bench,
    async (stack) => {
      await fillStream(stack, 'backlog', { events });
      await define(stack, byEntity(name, 'backlog'));
      await stack.processors[0]!.launch().ready();
      await untilProjection(stack, name, ({ status }) => status === 'running');
      return eachRun(bench, (run) => resetOnce(stack, run));
    },
    { processors: 1 },
  );
  const seconds = runs.map((run) => run.seconds);
  const row = { measure: 'RESET' };
  return [
    { ...row, what: `reset over ${figure(events)} events, until the swap`, unit: 's', runs: seconds },
    ...[0.5, 0.99].map((share) => ({
      ...{ ...row, what: `a state read meanwhile, p${share * 100}`, unit: 'ms' },
      runs: runs.map(({ reads }) => percentile(reads, share)),
      details: { reads: runs.map(({ reads }) => reads.length) },
    })),
  ];
}

/** Resets the projection once. @throws if a read during the reset is not answered with a state */
async function resetOnce(stack: TestSystem, run: number): Promise<Resetted> {
  const random = randomFrom(run);
  const connection = await KeepAliveConnection.open(stack.urls.query, { keepBody: false });
  const { status, text } = await stack.core.post(`/api/v1/projections/${name}/reset`, '');
  if (status !== 202 && status !== 200) throw new Error(`there was no reset: ${status} ${text}`);
  const startedAt = performance.now();
  let isOver = false;
  const over = untilProjection(stack, name, ({ progress }) => progress === null).finally(
    () => (isOver = true),
  );
  const reads: number[] = [];
  while (!isOver) {
    const path = `/api/v1/projections/${name}/state/order-${Math.floor(random() * entities)}`;
    const sentAt = performance.now();
    const answer = await connection.send(pageRequest(stack.urls.query, path, stack.key));
    reads.push(performance.now() - sentAt);
    if (answer.status !== 200) throw new Error(`a state was answered with ${answer.status} during a reset`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await over;
  connection.close();
  return { seconds: (performance.now() - startedAt) / 1000, reads };
}
