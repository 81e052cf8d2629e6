import { eventIdOf } from './event-id.js';
import type { DemoEvent } from './event.js';
import { lateAfterMinutes } from './flights.js';

/** A row of `flights-20k.json`: a sample of three months, with airports and dates. */
export interface DepartureRow {
  /** The time of departure, without a time zone: `2001/01/01 00:47`. */
  date: string;
  /** Delay on arrival in minutes; negative if early. */
  delay: number;
  /** Distance in miles. */
  distance: number;
  origin: string;
  destination: string;
}

/**
 * Returns one event for each flight. The entity of an event is the origin airport, and the local time is used as UTC.
 */
export function departureEvent(row: DepartureRow, index: number, stream: string): DemoEvent {
  const { date, delay, distance, origin, destination } = row;
  return {
    event_id: eventIdOf(`${stream}/${index}`),
    stream,
    event_type: delay > lateAfterMinutes ? 'flight.delayed' : 'flight.on_time',
    entity_id: origin,
    timestamp: `${date.replaceAll('/', '-').replace(' ', 'T')}:00.000Z`,
    data: { delay, distance, origin, destination },
    metadata: { source: 'vega-datasets/flights-20k.json', row: index },
  };
}
