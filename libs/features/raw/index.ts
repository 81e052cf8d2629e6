import type { Feature } from '#app';
import { RawModule } from './raw.module.js';

/** JSON values as they are, which become events by a mapping of the request. */
export const raw: Feature = { name: 'raw', writing: () => RawModule };

export { clientId } from './client-id.js';
export { EventIdDeriver } from './event-id-deriver.js';
export { intakeAnswer, intakeContent } from './intake-answer.js';
export { mappedVersion, mappedVersionRule } from './mapped-version.js';
export { FieldMapping } from './mapping.js';
export { RawWriteEventReader } from './raw-write-event-reader.js';
export { type ValueHandler, readList, readValue } from './read-values.js';
export { requireAll } from './require-all.js';
