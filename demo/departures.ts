import { eventIdOf } from './event-id.js';
import type { DemoEvent } from './event.js';
import { lateAfterMinutes } from './flights.js';

/** A row of `flights-20k.json`: a sample of three months, with airports and dates. */
export interface DepartureRow {
  /** When it left, without a time zone: `2001/01/01 00:47`. */
  date: string;
  /** Minutes late on arrival; negative is early. */
  delay: number;
  /** Miles. */
  distance: number;
  origin: string;
  destination: string;
}

/** One event for each flight, of the airport that it left; its local time is taken for UTC. */
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
