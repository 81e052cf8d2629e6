import { TributaryError } from '../errors/tributary-error.js';
import type { NewEvent } from '../types/event.js';

/** An event as JSON text, with its id. It is what is sent, at the first attempt and at every later one. */
export function eventText(event: NewEvent, eventId: string | null | undefined): string {
  const { stream, event_type, entity_id, timestamp, metadata } = event;
  const head = JSON.stringify({ event_id: eventId, stream, event_type, entity_id, timestamp, metadata });
  return `${head.slice(0, -1)},"data":${dataTextOf(event)}}`;
}

/** Text that is no JSON would break the request, and with it the events beside it. */
function dataTextOf(event: NewEvent): string {
  if ('data' in event) return JSON.stringify(event.data) ?? 'null';
  try {
    JSON.parse(event.dataText);
  } catch (error) {
    throw new TributaryError(`dataText is not JSON: ${(error as Error).message}`, { cause: error });
  }
  return event.dataText;
}
