import { encodeRefused, formatTime, type RefusedRecord } from '#event';
import type { Reception } from '../read-event.js';
import type { Rejection, SentEvent } from '../rejection.js';

/** How the text of a refused event is read once more. */
export interface RefusedForm {
  form: 'event' | 'raw';
  mapping: RefusedRecord['mapping'];
}

/** Puts what was refused of one request into records. */
export type KeepRefused = (rejection: Rejection, sent: SentEvent) => string;

/** Of an event as the batch endpoint takes it. */
export const asEvent: RefusedForm = { form: 'event', mapping: {} };

/** Errors of one event that are kept. */
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
