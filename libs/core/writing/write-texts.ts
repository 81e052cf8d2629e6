import type { ProblemCode } from '#api';

export const schemas =
  'If the type of an event has a schema in its stream, `data` is validated against the latest version of it. In the mode ' +
  '`enforce`, an event that does not match is rejected (`schema_violation`, with pointers into the event). In the mode ' +
  '`warn`, it is stored and counted. `schema_version` of an event is the version that it matches. It is null if ' +
  'there is no schema, and for an event that was stored although it does not match. Numbers are compared with all ' +
  'their digits, and stored as they were sent.';

export const again =
  'A repeated `event_id` is answered with 201 like the first one, with the partition and offset of the ' +
  'repeated record in the log. The offset differs from the first one, and this record is skipped when events are stored. The ' +
  'event is stored once, as it was first sent, at the first position. Both positions can be used for `wait_for`.';

const conditional =
  'An event with an `expected_version` is a conditional write: it is accepted only if its entity has this version where ' +
  'the event stands in the log, else it is a 412 `version_conflict`. The answer comes when this is decided, and has the ' +
  '`version`. A 504 `undecided` means that the decision took too long: repeat the request with the same `event_id`.';

/** Descriptions of the write endpoints in the OpenAPI document. */
export const oneEvent = [
  'The answer is sent when all in-sync replicas of Kafka have acknowledged the event. The first event of a stream that does ' +
    'not exist creates the stream, unless `AUTO_CREATE_STREAMS=false`.',
  conditional,
  again,
  schemas,
].join('\n\n');

export const manyEvents = [
  'The answer is sent when all in-sync replicas of Kafka have acknowledged every event. The first events of streams that do ' +
    'not exist create these, up to 100 in one request. An error of one event does not affect the others: it is listed ' +
    'in the answer, with one of the codes below, while the others are written (207). If no event is written, the answer ' +
    'is a 400 `invalid_request` with the errors of the first events, even if these errors have other codes.',
  'With `Prefer: handling=lenient` (RFC 7240) the answer is a 200 if the other events were written, and each rejected event is ' +
    'kept in its stream, as a dead letter with the reason `refused_at_intake`, which can be replayed. Its error in the answer ' +
    'then has the `partition` and the `offset`. A rejected event that has no stream to keep it (it names none, or one that ' +
    'the key does not cover, or one that does not exist and cannot be created, or its line is not JSON) is only listed and ' +
    'counted. `atomic=true` overrides the preference.',
  `${conditional} Each event of a batch is decided by itself; several events of one entity expect consecutive versions. If ` +
    'the log refuses all events, the answer is a 207 with their errors.',
  'With `atomic=true` and an `expected_version` of the **first** event, the events must be of one stream and one entity ' +
    '(`one_entity`), at most 1 000, and at most 1 MB together. They are accepted together, with consecutive versions, or none is: a 412 with ' +
    '`current_version`. A repeat of accepted events has the same answer; if only some of them were accepted before, it is a 409 `partial_repeat`.',
  again,
  schemas,
].join('\n\n');

const ofRequests: readonly ProblemCode[] = [
  'invalid_request',
  'invalid_json',
  'unauthenticated',
  'invalid_token',
  'insufficient_scope',
];
const ofNames: readonly ProblemCode[] = ['stream_forbidden', 'stream_reserved'];
const ofCreations: readonly ProblemCode[] = [
  'stream_name_collision',
  'stream_limit_reached',
  'stream_being_deleted',
];
const ofStreams: readonly ProblemCode[] = [...ofNames, 'stream_not_found', ...ofCreations];
const ofBodies: readonly ProblemCode[] = ['payload_too_large', 'unsupported_media_type'];
const ofData: readonly ProblemCode[] = ['schema_violation', 'schema_too_expensive', 'version_conflict'];
const ofLoad: readonly ProblemCode[] = [
  'too_many_requests',
  'overloaded',
  'log_unavailable',
  'starting',
  'shutting_down',
];

/** Problem codes of a single event in the answer to a batch. */
const eventProblems: readonly ProblemCode[] = [
  'invalid_request',
  'invalid_json',
  ...ofStreams,
  'payload_too_large',
  ...ofData,
  'undecided',
];

export const codesOfEvents = `The code of a problem: ${eventProblems.map((code) => `\`${code}\``).join(', ')}.`;

/** Problem codes of an endpoint that writes one event. */
export const writeProblems: readonly ProblemCode[] = [
  ...ofRequests,
  ...ofStreams,
  ...ofBodies,
  ...ofData,
  ...ofLoad,
  'undecided',
];

/** Problem codes of a whole batch. Problems of single events are listed in the answer. */
export const batchProblems: readonly ProblemCode[] = [
  ...ofRequests,
  'one_entity',
  'partial_repeat',
  'version_conflict',
  'undecided',
  'stream_not_found',
  ...ofBodies,
  ...ofLoad,
];

export const createStreamProblems: readonly ProblemCode[] = [
  ...ofRequests,
  ...ofNames,
  'stream_exists',
  ...ofCreations,
  ...ofBodies,
  ...ofLoad,
];

export const preferHeader = {
  name: 'Prefer',
  required: false,
  description:
    '`handling=lenient`: rejected events are kept as dead letters, and the answer is a 200. `handling=strict`: they are not kept.',
  schema: { type: 'string' },
  example: 'handling=lenient',
};
