import { eventFromText, type NewEvent } from '#client';
import { UsageError } from '../errors/cli-error.js';

/** Values for members that a line omits. */
interface LineDefaults {
  stream: string | undefined;
  event_type: string | undefined;
  expected_version?: number;
}

/** Parses an event from a line. @throws TributaryError, UsageError */
export function readLine(line: string, defaults: LineDefaults): NewEvent {
  const { stream, event_type, expected_version } = defaults;
  const event = eventFromText(line) as Partial<NewEvent> & { dataText: string };
  if (stream !== undefined && event.stream !== undefined && event.stream !== stream)
    throw new UsageError(`The event names the stream "${event.stream}", but the command names "${stream}".`);
  // The server refuses missing members with a precise error.
  return {
    ...event,
    stream: event.stream ?? stream,
    event_type: event.event_type ?? event_type,
    expected_version: event.expected_version ?? expected_version,
  } as NewEvent;
}
