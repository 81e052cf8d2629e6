import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, type ApiClient } from './client.js';
import { lateAfterMinutes } from './flights.js';

/** What a projection of delays knows of one key. */
export interface DelayState {
  key: string;
  state: { flights: number; late: number; mean_delay: number; worst_delay: number };
}

/** What ClickHouse counted of one key. */
export interface Counted {
  flights: number;
  late: number;
}

const delay = 'event.data.delay';
const fields = {
  flights: { op: 'count' },
  late: { op: 'sum', value: `${delay} > ${lateAfterMinutes} ? 1 : 0` },
  mean_delay: { op: 'avg', value: delay },
  worst_delay: { op: 'max', value: delay },
};
const caughtUpLimitMs = 120_000;

/** The projections of the delays of a stream of flights: by airport, and by the hour of the day. */
export function delayProjections(prefix: string, stream: string) {
  const named = prefix.replaceAll(/[^A-Za-z0-9_]/g, '_');
  return {
    airports: {
      name: `${named}delays_by_airport`,
      source: { streams: [stream] },
      key: 'event.entity_id',
      fields,
    },
    hours: {
      name: `${named}delays_by_hour`,
      source: { streams: [stream] },
      key: 'event.timestamp.getHours()',
      fields,
    },
  };
}

export type DelayProjection = ReturnType<typeof delayProjections>['airports'];

/** Defines it, or changes the one of an earlier run, and waits until it has all events. @throws ApiError */
export async function keepProjection(client: ApiClient, projection: DelayProjection): Promise<void> {
  const path = `projections/${projection.name}`;
  try {
    await client.send('POST', 'projections', projection);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409) throw error;
    await client.send('PUT', path, projection);
  }
  const deadline = Date.now() + caughtUpLimitMs;
  while (!isCaughtUp(await client.read(path))) {
    if (Date.now() > deadline) throw new ApiError(`${projection.name} has not caught up`, 0);
    await sleep(200);
  }
}

function isCaughtUp(found: { status: string; progress: unknown; lag: number }): boolean {
  return found.status === 'running' && found.progress === null && found.lag === 0;
}

/** All states, page by page. */
export async function allStates(client: ApiClient, name: string): Promise<DelayState[]> {
  const states: DelayState[] = [];
  let cursor: string | null = null;
  do {
    const query = new URLSearchParams({ limit: '1000', ...(cursor !== null && { cursor }) }).toString();
    const page: { states: DelayState[]; next_cursor: string | null } = await client.read(
      `projections/${name}/state?${query}`,
    );
    states.push(...page.states);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return states;
}

/** Keys of which the projection and ClickHouse do not say the same, those that only one of them knows included. */
export function disagreements(
  states: readonly DelayState[],
  counted: ReadonlyMap<string, Counted>,
): string[] {
  const folded = new Map(states.map(({ key, state }) => [key, state]));
  return [...new Set([...folded.keys(), ...counted.keys()])].filter((key) => {
    const [ours, theirs] = [folded.get(key), counted.get(key)];
    return ours?.flights !== theirs?.flights || ours?.late !== theirs?.late;
  });
}
