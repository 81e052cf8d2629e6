import type { ProblemCode } from '#api';
import { limits } from '#event';
import { again, schemas, writeProblems } from '../write-texts.js';

export const rawText = [
  'For shippers, webhooks and other tools that can be told an address, but not what an event looks like. The body is ' +
    'newline-delimited JSON, a list, one object, or JSON values one after another: each value becomes the `data` of an ' +
    'event, as its text stands there. What is not an object becomes `{"value": …}`. The parameters say where the other ' +
    'fields come from. The body may be compressed with `gzip` or `zstd`. On ports with keys it may have any content type; ' +
    'on others a JSON type, because a page of another site can send some types without asking.',
  'A value that is refused is kept in the stream, as a dead letter with the reason `refused_at_intake` that can be ' +
    'replayed; the answer counts it and is a 200. With `Prefer: handling=strict` all of the values are written, or none: ' +
    'one that is refused refuses the request, with its number and its line. The body may have 16 MiB (decompressed) and ' +
    `${limits.rawValues} values, an event 1 MiB.`,
  'Without an `event_id` each event has one that is made of the stream, the query, the body and its index in it. So a ' +
    'request that is sent again, after a time-out for instance, is stored once; and so are two requests that are the same ' +
    'but meant twice: give these ids of their own.',
  again,
  schemas,
].join('\n\n');

/** What a raw write may be refused for. */
export const rawProblems: readonly ProblemCode[] = writeProblems;

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
