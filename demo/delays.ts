import { setTimeout as sleep } from 'node:timers/promises';
import { ProjectionExistsError, TributaryError, type ProjectionKeyState, type Tributary } from '#client';
import { lateAfterMinutes } from './flights.js';

/** The state of a delay projection for one airport or hour of the day. */
export interface FlightDelayStats {
  flights: number;
  late: number;
  mean_delay: number;
  worst_delay: number;
}

/** A key (airport or hour) of a delay projection with its state. */
export type KeyedFlightDelayStats = Pick<ProjectionKeyState<FlightDelayStats>, 'key' | 'state'>;

/** Numbers of flights and late flights for one airport or hour, as ClickHouse counts them in the stored events. */
export interface SqlFlightDelayCounts {
  flights: number;
  late: number;
}

const delay = 'event.data.delay';
const fields = {
  flights: { op: 'count' },
  late: { op: 'sum', value: `${delay} > ${lateAfterMinutes} ? 1 : 0` },
  mean_delay: { op: 'avg', value: delay },
  worst_delay: { op: 'max', value: delay },
} as const;
const caughtUpLimitMs = 120_000;

/** Returns the projections of the delays in a stream of flights: by airport, and by the hour of the day. */
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

/** The definition of a delay projection. */
type DelayProjection = ReturnType<typeof delayProjections>['airports'];

/**
 * Defines a projection, or changes the one of an earlier run, and waits until it has processed all events. @throws
 * TributaryError
 */
export async function keepProjection(client: Tributary, projection: DelayProjection): Promise<void> {
  const { name } = projection;
  try {
    await client.projections.define(projection);
  } catch (error) {
    if (!(error instanceof ProjectionExistsError)) throw error;
    await client.projections.replace(name, projection);
  }
  const deadline = Date.now() + caughtUpLimitMs;
  while (!isCaughtUp(await client.projections.get(name))) {
    if (Date.now() > deadline) throw new TributaryError(`${name} has not caught up.`);
    await sleep(200);
  }
}

function isCaughtUp(found: { status: string; progress: unknown; lag: number }): boolean {
  return found.status === 'running' && found.progress === null && found.lag === 0;
}

/** Returns all states of a projection. */
export async function allStates(client: Tributary, name: string): Promise<KeyedFlightDelayStats[]> {
  const states: KeyedFlightDelayStats[] = [];
  for await (const state of client.projections.states<FlightDelayStats>(name, { limit: 1000 }))
    states.push(state);
  return states;
}

/** Returns the keys for which the projection and ClickHouse differ, including keys that only one of them has. */
export function disagreements(
  states: readonly KeyedFlightDelayStats[],
  counted: ReadonlyMap<string, SqlFlightDelayCounts>,
): string[] {
  const folded = new Map(states.map(({ key, state }) => [key, state]));
  return [...new Set([...folded.keys(), ...counted.keys()])].filter((key) => {
    const [ours, theirs] = [folded.get(key), counted.get(key)];
    return ours?.flights !== theirs?.flights || ours?.late !== theirs?.late;
  });
}
