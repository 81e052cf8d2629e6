import { limits } from '#event';
import { preferHeader, schemas } from '../write-texts.js';
import { batchType, structuredType } from './cloud-event-mode.js';

export const cloudEventText = [
  'Takes CloudEvents 1.0 by the HTTP binding: `' +
    `${structuredType}\` is one event, \`${batchType}\` a list of up to ${limits.rawValues}, and a request with the header ` +
    '`ce-specversion` is one event in binary mode, whose attributes are headers and whose data is the body, of any type. ' +
    'The body may be compressed with `gzip` or `zstd`.',
  '`type` becomes `event_type`, `subject` becomes `entity_id`, `time` becomes `timestamp`. `id` and `source` together ' +
    'become the `event_id`, a UUID of version 5, so that an event that is sent again is stored once. The metadata holds ' +
    '`ce_id`, `ce_source`, `ce_datacontenttype`, `ce_dataschema` and the extension attributes. The text of `data` stays as ' +
    'it is. Data that is not a JSON object becomes `{"value": …}`, and `ce_data` in the metadata says what it was: ' +
    '`value`, `base64` or `none`. Answers in the form of CloudEvents have the original event again.',
  'All events are written, or none: one that is refused refuses the request. With `Prefer: handling=lenient` the others ' +
    'are written, and the refused one is kept as a dead letter with the reason `refused_at_intake` that can be replayed. A ' +
    'body that is not JSON where it has to be is a 400 in either case. A success has no body, because a Knative broker ' +
    'takes a body for an event. `Prefer: return=representation` asks for one.',
  schemas,
].join('\n\n');

const example = {
  ...{ specversion: '1.0', id: 'A234-1234-1234', source: '/shop', type: 'order.placed', subject: 'order-17' },
  ...{ time: '2026-11-21T04:00:00.000123Z', data: { amount: 12.5 } },
};

export const cloudEventBody = {
  required: false,
  content: {
    [structuredType]: { schema: { type: 'object' as const, example } },
    [batchType]: {
      schema: { type: 'array' as const, items: { type: 'object' as const }, example: [example] },
    },
    '*/*': { schema: {} },
  },
};

export const cloudEventPreferHeader = {
  ...preferHeader,
  description:
    '`handling=lenient`: what is refused is kept as a dead letter, and the answer is a success. ' +
    '`return=representation`: the answer has a body.',
  example: 'handling=lenient, return=representation',
};
