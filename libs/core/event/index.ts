export { MutableBufferSlice } from './mutable-buffer-slice.js';
export {
  cloudEventJson,
  cloudEventMetadataMembers,
  isAttributeInteger,
  isAttributeText,
  isExtensionName,
  streamSource,
  cloudEventId,
  wrapValue,
  type CloudEventDataForm,
} from './cloud-event.js';
export * from './entity-hash.js';
export * from './event.js';
export { expectedVersionHeader, readExpectedVersion } from './expected-version.js';
export * from './limits.js';
export * from './names.js';
export { nameUuid, uuidOfBytes } from './name-uuid.js';
export { readUuidText, uuidText } from './record-bytes.js';
export {
  decodeRejectedEvent,
  encodeRejectedEvent,
  type RejectedEventRecord,
} from './rejected-event-record.js';
export { EventRecordParser, UnreadableRecordError } from './event-record-parser.js';
export * from './record.js';
export * from './stream-id.js';
