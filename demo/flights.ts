import type { DemoEvent } from './event.js';
import { eventIdOf } from './event-id.js';

/** A row of `flights-200k.json`: that is all it has. */
export interface FlightRow {
  /** Minutes late on arrival; negative is early. */
  delay: number;
  /** Miles of the route. */
  distance: number;
  /** Hours since midnight, to the minute: 23.983333333333334 is 23:59. */
  time: number;
}

/** The rows have a time of the day and no date; all are put on this day. */
export const assumedDay = '2001-01-01';

/** What the U.S. Department of Transportation counts as late: more than this many minutes. */
export const lateAfterMinutes = 15;

/**
 * One event for each flight. The rows name no airport, so the entity is the route as far as its length tells it: routes
 * of the same length are taken for one. `index` is the row's place in the file, and its only identity.
 */
export function flightEvent(row: FlightRow, index: number, stream: string): DemoEvent {
  const minutes = Math.round(row.time * 60);
  return {
    event_id: eventIdOf(`${stream}/${index}`),
    stream,
    event_type: row.delay > lateAfterMinutes ? 'flight.delayed' : 'flight.on_time',
    entity_id: `route-${row.distance}mi`,
    timestamp: new Date(Date.parse(`${assumedDay}T00:00:00Z`) + minutes * 60_000).toISOString(),
    data: { delay: row.delay, distance: row.distance, time: row.time },
    metadata: { source: 'vega-datasets/flights-200k.json', row: index },
  };
}
