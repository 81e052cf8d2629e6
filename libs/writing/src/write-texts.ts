import type { ProblemCode } from '#api';

export const schemas =
  'Where the type of an event has a schema in its stream, `data` is checked against its latest version. In the mode ' +
  '`enforce` an event that does not fit is refused (`schema_violation`, with pointers into the event); in the mode ' +
  '`warn` it is stored and counted. The event keeps the version that it fits as `schema_version`; that is null where ' +
  'there is no schema to check, and for an event that was stored although it does not fit. Numbers are compared as ' +
  'IEEE 754 doubles, and stored as they were sent.';

export const again =
  'Sending an `event_id` again is answered with 201 like the first time, with the partition and offset that the ' +
  'repetition has in the log: that is another offset, of a record that is passed over when events are stored. The ' +
  'event is there once, as it was sent first, and at the first position. Both positions do for `wait_for`.';

/** What the documentation says about writing. */
export const oneEvent = [
  'Answered when Kafka has acknowledged the event from all in-sync replicas. The first event of a stream that does ' +
    'not exist creates it, unless `AUTO_CREATE_STREAMS=false`.',
  again,
  schemas,
].join('\n\n');

export const manyEvents = [
  'Answered when Kafka has acknowledged every event from all in-sync replicas. The first events of streams that do ' +
    'not exist create these, up to 100 in one request. What is wrong with one event concerns that one: it has its ' +
    'error in the answer, with the codes below, while the others are written (207). When none is written the answer ' +
    'is a 400 `invalid_request` with the errors of the first events, whatever the codes of these are.',
  'With `Prefer: handling=lenient` (RFC 7240) the answer is a 200 where the others were written, and each refused event is ' +
    'kept in its stream, as a dead letter with the reason `refused_at_intake` that can be replayed. Its error in the answer ' +
    'has the `partition` and the `offset` then. An event without a stream that it may be kept in (it names none, or one that ' +
    'the key does not cover or that does not exist and cannot be created, or its line is not JSON) is only listed, and ' +
    'counted. `atomic=true` comes before the preference.',
  again,
  schemas,
].join('\n\n');

/** What one event of a batch may be refused for, in its place of the answer. */
const eventProblems: readonly ProblemCode[] = [
  'invalid_request',
  'invalid_json',
  'stream_forbidden',
  'stream_reserved',
  'stream_not_found',
  'stream_name_collision',
  'stream_limit_reached',
  'stream_being_deleted',
  'payload_too_large',
  'schema_violation',
  'schema_too_expensive',
];

export const codesOfEvents = `The code of a problem: ${eventProblems.map((code) => `\`${code}\``).join(', ')}.`;

/** What writing one event may be refused for. */
export const writeProblems: readonly ProblemCode[] = [
  'invalid_request',
  'invalid_json',
  'unauthenticated',
  'invalid_token',
  'insufficient_scope',
  'stream_forbidden',
  'stream_reserved',
  'stream_not_found',
  'stream_name_collision',
  'stream_limit_reached',
  'stream_being_deleted',
  'payload_too_large',
  'unsupported_media_type',
  'schema_violation',
  'schema_too_expensive',
  'too_many_requests',
  'overloaded',
  'log_unavailable',
  'starting',
  'shutting_down',
];

/** What a whole batch may be refused for; what concerns its events stands in their places. */
export const batchProblems: readonly ProblemCode[] = [
  'invalid_request',
  'invalid_json',
  'unauthenticated',
  'invalid_token',
  'insufficient_scope',
  'stream_not_found',
  'payload_too_large',
  'unsupported_media_type',
  'too_many_requests',
  'overloaded',
  'log_unavailable',
  'starting',
  'shutting_down',
];

export const createStreamProblems: readonly ProblemCode[] = [
  'invalid_request',
  'invalid_json',
  'unauthenticated',
  'invalid_token',
  'insufficient_scope',
  'stream_forbidden',
  'stream_reserved',
  'stream_exists',
  'stream_name_collision',
  'stream_limit_reached',
  'stream_being_deleted',
  'payload_too_large',
  'unsupported_media_type',
  'too_many_requests',
  'overloaded',
  'log_unavailable',
  'starting',
  'shutting_down',
];

export const preferHeader = {
  name: 'Prefer',
  required: false,
  description:
    '`handling=lenient`: what is refused is kept as a dead letter, and the answer is a 200. `handling=strict`: it is not.',
  schema: { type: 'string' },
  example: 'handling=lenient',
};
