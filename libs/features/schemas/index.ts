import type { Feature } from '#app';
import { schemaEnforcement } from './enforcement/index.js';
import { SchemaSettings } from './schema-settings.js';
import { SchemasModule } from './schemas.module.js';

/** JSON Schemas of event types: their versions, their compatibility, checks of data, and their enforcement. */
export const schemas: Feature = { ...schemaEnforcement, settings: [SchemaSettings], gateway: SchemasModule };
