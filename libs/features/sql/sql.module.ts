import { Module } from '@nestjs/common';
import { DEFINITIONS, LOGGER, PROCESS } from '#app';
import type { ProcessContext } from '#http';
import type { Definitions } from '#registry';
import { clickHouseOptions } from '#store';
import type { Logger } from '#telemetry';
import { StoreTables } from '#gateway-kit';
import { AnalystSqlRunner } from './clickhouse/analyst-sql-runner.js';
import { ProjectionResults } from './projection-results.js';
import { SqlStatementRunner } from './sql-statement-runner.js';
import { SqlSettings } from './sql-settings.js';
import { SqlController } from './sql.controller.js';
import { ViewPublisher } from './view-publisher.js';

/** Nest module of the SQL interface for analysts, which only the query port serves, and of the views for it. */
@Module({
  controllers: [SqlController],
  providers: [
    SqlStatementRunner,
    ProjectionResults,
    {
      provide: AnalystSqlRunner,
      // The definitions are made first, so that SQL is closed before them.
      inject: [PROCESS, SqlSettings, DEFINITIONS],
      useFactory: ({ config, lifecycle }: ProcessContext, settings: SqlSettings): AnalystSqlRunner => {
        const sql = new AnalystSqlRunner(clickHouseOptions(config), {
          user: { name: settings.SQL_CLICKHOUSE_USER, password: settings.SQL_CLICKHOUSE_PASSWORD },
          bounds: { seconds: settings.SQL_SECONDS, memoryBytes: settings.SQL_MEMORY_MIB * 1024 * 1024 },
        });
        lifecycle.onStop('sql', () => sql.close());
        return sql;
      },
    },
    {
      provide: ViewPublisher,
      inject: [PROCESS, AnalystSqlRunner, DEFINITIONS, LOGGER, StoreTables, SqlSettings],
      useFactory: (
        { lifecycle }: ProcessContext,
        sql: AnalystSqlRunner,
        definitions: Definitions,
        logger: Logger,
        tables: StoreTables,
        settings: SqlSettings,
      ): ViewPublisher => {
        const views = new ViewPublisher({ sql, definitions, logger });
        lifecycle.onStart(async () => {
          if (settings.SQL_CLICKHOUSE_USER !== '') void tables.exist.then(() => views.start());
        });
        lifecycle.onStop('views', async () => views.close());
        return views;
      },
    },
  ],
})
export class SqlModule {}
