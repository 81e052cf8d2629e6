import { Module } from '@nestjs/common';
import { DataValidationController } from './data-validation.controller.js';
import { SchemaCheckController } from './schema-check.controller.js';
import { SchemaCompatibilityChecker } from './schema-compatibility-checker.js';
import { SchemaVersionsController } from './schema-versions.controller.js';
import { SchemaController } from './schema.controller.js';
import { SchemasController } from './schemas.controller.js';

/** Nest module of the routes of schemas. */
@Module({
  controllers: [
    SchemasController,
    SchemaController,
    SchemaVersionsController,
    SchemaCheckController,
    DataValidationController,
  ],
  providers: [SchemaCompatibilityChecker],
})
export class SchemasModule {}
