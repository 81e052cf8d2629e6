import { Global, Module } from '@nestjs/common';
import type { Feature } from '#app';
import { EventSchemas } from '#writing';
import { EventSchemaValidator } from './event-schema-validator.js';

/** Nest module of the check of written events against their schemas. */
@Global()
@Module({
  providers: [{ provide: EventSchemas, useClass: EventSchemaValidator }],
  exports: [EventSchemas],
})
export class SchemaEnforcementModule {}

/** The check of written events against their schemas, for apps without the routes of schemas. */
export const schemaEnforcement: Feature = { name: 'schemas', writing: () => SchemaEnforcementModule };

export { compileDataSchema, CompiledSchemaCache } from './compiled-schema-cache.js';
export { EventSchemaValidator } from './event-schema-validator.js';
export { SchemaIndex } from './schema-index.js';
export { SchemaMismatchCounter } from './schema-mismatch-counter.js';
