import { limits } from '#event';
import { preferHeader, schemas } from '#writing';
import { batchType, structuredType } from './read-cloud-events.js';

export const cloudEventText = [
  'Writes CloudEvents 1.0, sent with the HTTP binding: `' +
    `${structuredType}\` is one event, \`${batchType}\` a list of up to ${limits.rawValues}, and a request with the header ` +
    '`ce-specversion` is one event in binary mode: its attributes are headers, and its data is the body, of any type. ' +
    'The body may be compressed with `gzip` or `zstd`.',
  '`type` becomes `event_type`, `subject` becomes `entity_id`, `time` becomes `timestamp`. `id` and `source` together ' +
    'become the `event_id`, a UUID of version 5, so that a repeated event is stored once. The metadata contains ' +
    '`ce_id`, `ce_source`, `ce_datacontenttype`, `ce_dataschema` and the extension attributes. The text of `data` remains ' +
    'unchanged. Data that is not a JSON object becomes `{"value": …}`, and `ce_data` in the metadata says what it was: ' +
    '`value`, `base64` or `none`. Queries that return CloudEvents restore the original event.',
  'Either all events are written or none: one invalid event rejects the request. With `Prefer: handling=lenient` the ' +
    'others are written, and the rejected event is kept as a dead letter with the reason `refused_at_intake`, which can be replayed. A ' +
    'body that must be JSON but is not is a 400 in both cases. A success has no body, because a Knative broker ' +
    'treats a body as an event. `Prefer: return=representation` requests a body.',
  'With the setting `CLOUDEVENTS_ALLOWED_ORIGINS`, `OPTIONS` on this address answers the handshake of HTTP Web Hooks for ' +
    'Event Delivery, which Azure Event Grid requires.',
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
    '`handling=lenient`: rejected events are kept as dead letters, and the answer is a success. ' +
    '`return=representation`: the answer has a body.',
  example: 'handling=lenient, return=representation',
};
