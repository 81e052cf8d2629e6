export * from './metered-producer.js';
export { traced } from './traced-producer.js';
export * from './write.module.js';
import './write-problems.js';
export { WriteSettings } from './write-settings.js';
export { readGivenData, readGivenEvents } from './read-given.js';
export { requireAuthorized } from './authorize-streams.js';
export { isConditional } from './event-appender.js';
export { hasDuplicates } from './event-scan.js';
export { EventWriteService } from './event-write-service.js';
export {
  timeRule,
  duplicate,
  invalid,
  isLong,
  tooLarge,
  type AcceptedEvent,
  type AppendedEvent,
  type EventParserInputs,
  expectedVersionRule,
  damaged,
  isDamaged,
  damagedDetail,
} from './read-event.js';
export {
  failure,
  syntaxError,
  type ParsedEvents,
  textOf,
  EventLineReader,
  nextValue,
  secondOnLine,
  readSingle,
} from './read-request.js';
export { asCloudEvent, rejectedEventEncoder, asEvent } from './rejected-event-encoder.js';
export { EventRejection } from './rejection.js';
export { type EventSchema } from './event-schema.js';
export { EventSchemas } from './event-schemas.js';
export { StreamName } from './stream-name.js';
export { endOfUnread, UnknownEndError, endOfDeepValue } from './unread-value.js';
export { eventErrors, isEvent } from './validate-event.js';
export { json } from './write-answers.js';
export { preferHeader, schemas, writeProblems, again } from './write-texts.js';
