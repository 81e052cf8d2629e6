import { eventFromText, type NewEvent } from '#client';
import { UsageError } from '../errors/cli-error.js';

/** What a line may leave out. */
export interface LineDefaults {
  stream: string | undefined;
  event_type: string | undefined;
}

/** Reads an event from a line. @throws TributaryError, UsageError */
export function readLine(line: string, { stream, event_type }: LineDefaults): NewEvent {
  const event = eventFromText(line) as Partial<NewEvent> & { dataText: string };
  if (stream !== undefined && event.stream !== undefined && event.stream !== stream)
    throw new UsageError(`The event names the stream "${event.stream}", the command "${stream}".`);
  // What is missing still is refused by the server, which says so best.
  return { ...event, stream: event.stream ?? stream, event_type: event.event_type ?? event_type } as NewEvent;
}
