import { Module } from '@nestjs/common';
import { SqlStatementRunner } from './sql-statement-runner.js';
import { ProjectionResults } from './projection-results.js';
import { SqlController } from './sql.controller.js';

/** Nest module of the SQL interface for analysts, which only the query port serves. */
@Module({ controllers: [SqlController], providers: [SqlStatementRunner, ProjectionResults] })
export class SqlModule {}
