import { Module } from '@nestjs/common';
import { SqlStatementRunner } from './sql-statement-runner.js';
import { SqlController } from './sql.controller.js';

/** Nest module of the SQL interface for analysts, which only the query port serves. */
@Module({ controllers: [SqlController], providers: [SqlStatementRunner] })
export class SqlModule {}
