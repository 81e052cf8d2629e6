import { Module } from '@nestjs/common';
import { SchemaCompatibilityChecker } from './schema-compatibility-checker.js';
import { SchemasController } from './schemas.controller.js';

/** Nest module of the routes of schemas. */
@Module({ controllers: [SchemasController], providers: [SchemaCompatibilityChecker] })
export class SchemasModule {}
