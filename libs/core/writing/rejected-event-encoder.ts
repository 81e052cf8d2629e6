import { encodeRejectedEvent, type RejectedEventRecord } from '#event';
import { formatTime } from '#json';
import type { EventParserInputs } from './read-event.js';
import type { EventRejection, RejectedEventRangeAndIds } from './rejection.js';

/**
 * The format of a rejected event's text, and for raw values their field mapping, with which a replay parses it again.
 */
interface RejectedEventInputFormat {
  form: 'event' | 'raw' | 'cloudevent';
  mapping: RejectedEventRecord['mapping'];
}

/** A function that encodes a rejected event as the value of a Kafka record, which becomes a dead letter. */
export type RejectedEventEncoder = (rejection: EventRejection, sent: RejectedEventRangeAndIds) => string;

/** The format of an event in the JSON of `POST /api/v1/events`. */
export const asEvent: RejectedEventInputFormat = { form: 'event', mapping: {} };

/** The format of a CloudEvent in the JSON event format. */
export const asCloudEvent: RejectedEventInputFormat = { form: 'cloudevent', mapping: {} };

/** Maximum number of input errors that are kept with a rejected event, and of characters of their texts. */
const mostErrors = 20;
const mostErrorCharacters = 500;

export function rejectedEventEncoder(
  { text, ingestedAt }: EventParserInputs,
  form: RejectedEventInputFormat,
): RejectedEventEncoder {
  const received_at = formatTime(ingestedAt);
  return ({ code, detail, errors }, { start, end, entity_id, event_id }) =>
    encodeRejectedEvent({
      refused: {
        code,
        detail: shortened(detail),
        errors: errors.slice(0, mostErrors).map(({ pointer, detail: why }) => ({
          pointer: shortened(pointer),
          detail: shortened(why),
        })),
      },
      ...form,
      ...{ entity_id, event_id, received_at },
      text: text.slice(start, end),
    });
}

/** A pointer can contain the name of a member of any length, and a record has no room for it. */
function shortened(text: string): string {
  return text.length > mostErrorCharacters ? `${text.slice(0, mostErrorCharacters)}…` : text;
}
