import { eachRun, type BenchContext } from '../bench.js';
import type { ConditionalWriteResult } from '../load/job.js';
import { runClosedLoop, runConditional } from '../load/start.js';
import { withLocalSystem, type LocalSystem } from '../local-system.js';
import { goal, ratioOf, type MeasuredFigure, type GoalResult } from '../report.js';
import { median } from '../statistics.js';
import { caughtUp, furnish } from '../whole-system.js';

const entities = 1_000;
const eventsPerSecond = 500;
const seconds = 20;
const plainSeconds = 15;
const catchUpSeconds = 300;
/** Events of an atomic batch. */
const groupSize = 3;

interface Seen {
  paced: ConditionalWriteResult;
  singles: ConditionalWriteResult;
  batches: ConditionalWriteResult;
  groups: ConditionalWriteResult;
  /** Events per second without a condition: before any conditional write, after them, and at the same time. */
  plain: { before: number; after: number; meanwhile: number };
}

/**
 * CONDITIONAL: latency and throughput of conditional writes to 1 000 entities, and the throughput of other writes before,
 * after and during them, with the system as started by `npm start`, a projection and a pipeline on each stream.
 */
export async function conditional(bench: BenchContext): Promise<MeasuredFigure[]> {
  const runs = await eachRun(bench, () => withLocalSystem(bench, one));
  return [...latencyRows(runs), ...throughputRows(runs), ...plainRows(runs)];
}

async function one(system: LocalSystem): Promise<Seen> {
  for (const stream of ['plain', 'conditional']) await furnish(system, stream, { pipeline: true });
  const before = await plainRate(system);
  const load = { url: system.ingest.baseUrl, stream: 'conditional', entities, warmUpSeconds: 5 };
  const rate = { eventsPerSecond, connections: 128, batchSize: 1 };
  const paced = await runConditional({ ...load, ...rate, seconds, seed: 1 });
  await caughtUp(system, catchUpSeconds);
  const singles = await runConditional({ ...load, connections: 500, batchSize: 1, seconds, seed: 2 });
  await caughtUp(system, catchUpSeconds);
  const batches = await runConditional({ ...load, connections: 8, batchSize: 125, seconds, seed: 3 });
  await caughtUp(system, catchUpSeconds);
  const groups = await runConditional({
    ...{ ...load, connections: 500, batchSize: groupSize, atomic: true, seconds, seed: 5 },
  });
  await caughtUp(system, catchUpSeconds);
  const after = await plainRate(system);
  const during = { ...load, ...rate, seconds: plainSeconds, seed: 4 };
  const [meanwhile] = await Promise.all([plainRate(system), runConditional(during)]);
  return { paced, singles, batches, groups, plain: { before, after, meanwhile } };
}

/** Returns the rate of events without a condition, in batches of 500 on 4 connections. */
async function plainRate(system: LocalSystem): Promise<number> {
  const result = await runClosedLoop({
    ...{ urls: [system.ingest.baseUrl], stream: 'plain', connections: 4, batchSize: 500 },
    ...{ seconds: plainSeconds, warmUpEvents: 20_000, seed: 1 },
  });
  await caughtUp(system, catchUpSeconds);
  return result.eventsPerSecond;
}

function rowOf(
  { what, unit }: { what: string; unit: string },
  runs: number[],
  must?: GoalResult,
): MeasuredFigure {
  return { measure: 'CONDITIONAL', what, unit, runs, ...(must && { must }) };
}

function latencyRows(runs: readonly Seen[]): MeasuredFigure[] {
  const half = runs.map(({ paced }) => paced.p50);
  const most = runs.map(({ paced }) => paced.p99);
  const what = `conditional writes at ${eventsPerSecond}/s to ${entities} entities, p50`;
  const first = rowOf({ what, unit: 'ms' }, half, goal(median(half), { below: 100 }, 'ms'));
  const second = { what: 'the same, p99', unit: 'ms' };
  return [{ ...first, details: { runs } }, rowOf(second, most, goal(median(most), { below: 500 }, 'ms'))];
}

function throughputRows(runs: readonly Seen[]): MeasuredFigure[] {
  const ofRates = (what: string, rates: number[]): MeasuredFigure => {
    const must = goal(median(rates), { atLeast: 5_000 });
    return rowOf({ what: `conditional writes, ${what}`, unit: 'events/s' }, rates, must);
  };
  const groups = runs.map((run) => run.groups.eventsPerSecond / groupSize);
  const singles = runs.map((run) => run.singles.eventsPerSecond);
  const ofGroups: MeasuredFigure = {
    ...rowOf({ what: `atomic batches of ${groupSize}, 500 connections`, unit: 'batches/s' }, groups),
    baseline: { what: 'single events', runs: singles },
  };
  return [
    ofRates('single events, 500 connections', singles),
    { ...ofGroups, must: goal(ratioOf(ofGroups), { atLeast: 1 / 3 }, '×') },
    ofRates(
      'batches of 125, 8 connections',
      runs.map((run) => run.batches.eventsPerSecond),
    ),
  ];
}

function plainRows(runs: readonly Seen[]): MeasuredFigure[] {
  const before = { what: 'before any conditional write', runs: runs.map(({ plain }) => plain.before) };
  const ofPlain = (what: string, rates: number[]): MeasuredFigure => ({
    ...rowOf({ what: `other writes, batches of 500, ${what}`, unit: 'events/s' }, rates),
    baseline: before,
  });
  const after = ofPlain(
    'after conditional writes',
    runs.map(({ plain }) => plain.after),
  );
  const meanwhile = ofPlain(
    `during ${eventsPerSecond} conditional writes/s to another stream`,
    runs.map(({ plain }) => plain.meanwhile),
  );
  return [{ ...after, must: goal(ratioOf(after), { atLeast: 0.9 }, '×') }, meanwhile];
}
