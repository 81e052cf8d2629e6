import { Module } from '@nestjs/common';
import { SqlStatementRunner } from './sql-statement-runner.js';
import { SqlController } from './sql.controller.js';

/** SQL for analysts, on the query port. */
@Module({ controllers: [SqlController], providers: [SqlStatementRunner] })
export class SqlModule {}
