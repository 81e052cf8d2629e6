import { limits } from '#event';
import { again, schemas } from '#writing';

export const rawText = [
  'For log shippers, webhooks and other tools whose URL can be configured, but not the format that they send. The body is ' +
    'newline-delimited JSON, a list, one object, or a sequence of JSON values. Each value becomes the `data` of an ' +
    'event, with its text unchanged. A value that is not an object becomes `{"value": …}`. The parameters specify where the other ' +
    'fields come from. The body may be compressed with `gzip` or `zstd`. On ports with keys it may have any content type; ' +
    'on other ports it must have a JSON type, because a page of another site can send some types without a CORS preflight.',
  'A tool that cannot send `Authorization: Bearer` sends the key as the password of `Basic`, with any user: ' +
    '`https://any:<key>@…`.',
  'A rejected value is kept in the stream, as a dead letter with the reason `refused_at_intake`, which can be ' +
    'replayed; the answer is a 200 with its count. With `Prefer: handling=strict` either all values are written or none: ' +
    'one invalid value rejects the request, and the error has its number and its line. The body may have 16 MiB (decompressed) and ' +
    `${limits.rawValues} values, and an event 1 MiB.`,
  'Without an `event_id`, the id of each event is derived from the stream, the query, the body and the index of the value. So a ' +
    'request that is repeated, for example after a time-out, is stored once. Two identical requests that are ' +
    'meant as different events are stored once, too: send ids for these.',
  again,
  schemas,
].join('\n\n');

const oneOrMany = {
  description: 'One value, or several one after another or in a list.',
  example: [{ kind: 'login', user: { id: 'ann' } }],
};
const lines = {
  type: 'string',
  description: `One value on each line; up to ${limits.rawValues} lines.`,
  example: '{"kind":"login","user":{"id":"ann"}}\n{"kind":"logout","user":{"id":"ann"}}\n',
};

export const rawBody = {
  required: true,
  content: {
    'application/json': { schema: oneOrMany },
    'application/x-ndjson': { schema: lines },
    '*/*': { schema: {} },
  },
};
