import { TributaryError } from '../errors/tributary-error.js';
import type { NewEvent } from '../types/index.js';

/** Returns an event as JSON text with its id. Every attempt sends the same text. */
export function eventText(
  event: NewEvent,
  eventId: string | null | undefined,
  expected_version = event.expected_version,
): string {
  const { stream, event_type, entity_id, timestamp, metadata } = event;
  const head = { event_id: eventId, stream, event_type, entity_id, expected_version, timestamp, metadata };
  if ('data' in event) return JSON.stringify({ ...head, data: event.data ?? null });
  return `${JSON.stringify(head).slice(0, -1)},"data":${checked(event.dataText)}}`;
}

/**
 * Validates the text, because an invalid one would break the request and the other events in it. @throws
 * TributaryError
 */
function checked(dataText: string): string {
  try {
    JSON.parse(dataText);
  } catch (error) {
    throw new TributaryError(`dataText is not JSON: ${(error as Error).message}`, { cause: error });
  }
  return dataText;
}
