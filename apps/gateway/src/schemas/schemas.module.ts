import { Module } from '@nestjs/common';
import { SchemaCheckController } from './schema-check.controller.js';
import { CompatibilityChecks } from './schema-checks.js';
import { SchemaVersionsController } from './schema-versions.controller.js';
import { SchemaController } from './schema.controller.js';
import { SchemasController } from './schemas.controller.js';

@Module({
  controllers: [SchemasController, SchemaController, SchemaVersionsController, SchemaCheckController],
  providers: [CompatibilityChecks],
})
export class SchemasModule {}
