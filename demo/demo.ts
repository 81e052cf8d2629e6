import { StreamNotFoundError, type Tributary } from '#client';
import { groupDigits } from './chart.js';
import { readDatasets } from './datasets.js';
import { delayReport } from './delay-report.js';
import type { Dataset } from './event.js';
import { load, queryable, storedIds } from './load.js';
import type { DemoOptions } from './options.js';
import { ProgressDisplay } from './progress.js';
import { report } from './report.js';

/** Where the demo prints, and whether lines can be redrawn there. */
interface DemoTerminal {
  live: boolean;
  write: (text: string) => void;
}

/** Counts and duration of loading one dataset into its stream. */
export interface DatasetLoadResult {
  stream: string;
  /** The number of events in the data. */
  rows: number;
  /** Number of these events that an earlier run has stored. */
  before: number;
  written: number;
  seconds: number;
  /** Number of events of the stream that can be queried after loading. */
  found: number;
}

const queryableLimitMs = 120_000;

/**
 * Loads the data, waits until it can be queried, counts it and shows it. Resolves false if a count or a projection is
 * wrong.
 */
export async function demo(client: Tributary, options: DemoOptions, screen: DemoTerminal): Promise<boolean> {
  const line = (text: string) => screen.write(`${text}\n`);
  const { earthquakes, flights, departures } = await readDatasets(options);
  const outcomes: DatasetLoadResult[] = [];
  for (const dataset of [earthquakes, flights, departures]) {
    line(`${dataset.stream}: ${groupDigits(dataset.events.length)} events, ${dataset.about}`);
    outcomes.push(await loadDataset({ client, options, screen }, dataset));
  }
  const streams = { earthquakes: earthquakes.stream, flights: flights.stream };
  const { queryUrl, apiKeyFile, prefix } = options;
  const reporting = { client, queryUrl, apiKeyFile, streams, write: line };
  await report(reporting);
  const agree = await delayReport(reporting, { prefix, stream: departures.stream });
  line('');
  for (const outcome of outcomes) line(describeOutcome(outcome));
  return agree && outcomes.every(isComplete);
}

/** Whether as many events were found as were sent. */
export function isComplete(outcome: DatasetLoadResult): boolean {
  return outcome.found === outcome.rows && outcome.before + outcome.written === outcome.rows;
}

/** Returns one line with a dataset's counts and speed. */
export function describeOutcome(outcome: DatasetLoadResult): string {
  const { stream, rows, before, written, seconds, found } = outcome;
  const rate = groupDigits(Math.round(written / Math.max(0.001, seconds)));
  const speed = written === 0 ? 'nothing to write' : `${rate} events/s until queryable`;
  const earlier = before === 0 ? '' : ` (${groupDigits(before)} of them by an earlier run)`;
  const verdict = isComplete(outcome) ? 'in = out' : 'WRONG: in and out differ';
  return `${stream}: ${groupDigits(rows)} in${earlier}, ${groupDigits(found)} out: ${verdict}; ${speed}`;
}

interface Context {
  client: Tributary;
  options: DemoOptions;
  screen: DemoTerminal;
}

/**
 * Writes the events that are not stored yet. Without this check a later run would be outside the id window and
 * write duplicates.
 */
async function loadDataset(
  { client, options, screen }: Context,
  dataset: Dataset,
): Promise<DatasetLoadResult> {
  const { stream, events } = dataset;
  const before = await count(client, stream);
  const ids = before === 0 ? new Set<string>() : await storedIds(client, stream);
  const missing = events.filter((event) => !ids.has(event.event_id));
  if (ids.size > 0) screen.write(`  ${groupDigits(events.length - missing.length)} are there already\n`);
  const startedAt = Date.now();
  const progress = new ProgressDisplay({ label: stream, total: missing.length, ...screen });
  await load(client, missing, { ...options, onWritten: (written) => progress.add(written) });
  if (missing.length > 0) {
    progress.end();
    await queryable(client, stream, queryableLimitMs);
  }
  return {
    stream,
    rows: events.length,
    before: events.length - missing.length,
    written: missing.length,
    seconds: (Date.now() - startedAt) / 1000,
    found: await count(client, stream),
  };
}

async function count(client: Tributary, stream: string): Promise<number> {
  try {
    return (await client.count({ stream })).total;
  } catch (error) {
    // A stream without events does not exist.
    if (error instanceof StreamNotFoundError) return 0;
    throw error;
  }
}
