import type { DemoEvent } from './event.js';
import { eventIdOf } from './event-id.js';

/** A row of `flights-200k.json`, which has only these members. */
export interface FlightRow {
  /** Delay on arrival in minutes; negative if early. */
  delay: number;
  /** Length of the route in miles. */
  distance: number;
  /** Hours since midnight, to the minute: 23.983333333333334 is 23:59. */
  time: number;
}

/** The rows have a time of day but no date; all get this date. */
export const assumedDay = '2001-01-01';

/** The U.S. Department of Transportation counts a flight as late above this number of minutes. */
export const lateAfterMinutes = 15;

/**
 * Returns one event for each flight. The rows contain no airport, so the entity is the length of the route: routes of
 * the same length are treated as one. `index` is the index of the row in the file, and its only identity.
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
