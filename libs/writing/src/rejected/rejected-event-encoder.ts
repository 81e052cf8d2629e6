import { encodeRejectedEvent, formatTime, type RejectedEventRecord } from '#event';
import type { IntakeContext } from '../read-event.js';
import type { EventRejection, RejectedEventSource } from '../rejection.js';

/** The format in which the text of a rejected event can be parsed again. */
export interface RejectedEventFormat {
  form: 'event' | 'raw' | 'cloudevent';
  mapping: RejectedEventRecord['mapping'];
}

/** Returns the record that keeps a rejected event in the log. */
export type RejectedEventEncoder = (rejection: EventRejection, sent: RejectedEventSource) => string;

/** The format of an event of a batch. */
export const asEvent: RejectedEventFormat = { form: 'event', mapping: {} };

/** The format of a CloudEvent: the JSON event format. */
export const asCloudEvent: RejectedEventFormat = { form: 'cloudevent', mapping: {} };

/** Maximum number of errors that are kept for one event. */
const mostErrors = 20;

export function rejectedEventEncoder(
  { text, ingestedAt }: IntakeContext,
  form: RejectedEventFormat,
): RejectedEventEncoder {
  const received_at = formatTime(ingestedAt);
  return ({ code, detail, errors }, { start, end, entity_id, event_id }) =>
    encodeRejectedEvent({
      refused: { code, detail, errors: errors.slice(0, mostErrors) },
      ...form,
      ...{ entity_id, event_id, received_at },
      text: text.slice(start, end),
    });
}
