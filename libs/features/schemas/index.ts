import type { Feature } from '#app';
import { SchemaSettings } from './schema-settings.js';
import { SchemasModule } from './schemas.module.js';

/** JSON Schemas of event types: their versions, their compatibility, and checks of data. */
export const schemas: Feature = { name: 'schemas', settings: [SchemaSettings], gateway: SchemasModule };
