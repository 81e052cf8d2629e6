import { Module } from '@nestjs/common';
import type { Feature } from '#app';
import { RawController } from './raw.controller.js';

@Module({ controllers: [RawController] })
class RawModule {}

/** JSON values as they are, which become events by a mapping of the request. */
export const raw: Feature = { name: 'raw', writing: () => RawModule };

export { EventIdDeriver } from './event-id-deriver.js';
export { intakeAnswer, intakeContent, requireAll } from './intake-answer.js';
export { clientId, mappedVersion, mappedVersionRule } from './mapped-values.js';
export { FieldMapping } from './mapping.js';
export { RawWriteEventReader } from './raw-write-event-reader.js';
export { type ValueHandler, readList, readValue } from './read-values.js';
