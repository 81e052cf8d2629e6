import { TributaryError } from '../errors/tributary-error.js';
import type { NewEvent } from '../types/event.js';

/** An event as JSON text, with its id. It is what is sent, at the first attempt and at every later one. */
export function eventText(event: NewEvent, eventId: string | null | undefined): string {
  const { stream, event_type, entity_id, timestamp, metadata } = event;
  if ('data' in event) {
    const data = event.data ?? null;
    return JSON.stringify({ event_id: eventId, stream, event_type, entity_id, timestamp, metadata, data });
  }
  const head = { event_id: eventId, stream, event_type, entity_id, timestamp, metadata };
  return `${JSON.stringify(head).slice(0, -1)},"data":${checked(event.dataText)}}`;
}

/** Text that is no JSON would break the request, and with it the events beside it. */
function checked(dataText: string): string {
  try {
    JSON.parse(dataText);
  } catch (error) {
    throw new TributaryError(`dataText is not JSON: ${(error as Error).message}`, { cause: error });
  }
  return dataText;
}
