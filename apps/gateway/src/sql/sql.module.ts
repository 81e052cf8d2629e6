import { Module } from '@nestjs/common';
import { SqlRuns } from './sql-runs.js';
import { SqlController } from './sql.controller.js';

/** SQL for analysts, on the query port. */
@Module({ controllers: [SqlController], providers: [SqlRuns] })
export class SqlModule {}
