import { encodeRefused, formatTime, type RefusedRecord } from '#event';
import type { Reception } from '../read-event.js';
import type { Rejection, SentEvent } from '../rejection.js';

/** The format in which the text of a rejected event can be parsed again. */
export interface RefusedForm {
  form: 'event' | 'raw' | 'cloudevent';
  mapping: RefusedRecord['mapping'];
}

/** Returns the record that keeps a rejected event in the log. */
export type KeepRefused = (rejection: Rejection, sent: SentEvent) => string;

/** The format of an event of a batch. */
export const asEvent: RefusedForm = { form: 'event', mapping: {} };

/** The format of a CloudEvent: the JSON event format. */
export const asCloudEvent: RefusedForm = { form: 'cloudevent', mapping: {} };

/** Maximum number of errors that are kept for one event. */
const mostErrors = 20;

export function keepRefused({ text, ingestedAt }: Reception, form: RefusedForm): KeepRefused {
  const received_at = formatTime(ingestedAt);
  return ({ code, detail, errors }, { start, end, entity_id, event_id }) =>
    encodeRefused({
      refused: { code, detail, errors: errors.slice(0, mostErrors) },
      ...form,
      ...{ entity_id, event_id, received_at },
      text: text.slice(start, end),
    });
}
