import { Module } from '@nestjs/common';
import { DEFINITIONS, LOGGER, PROCESS } from '#app';
import type { ProcessContext } from '#http';
import type { Definitions } from '#registry';
import { clickHouseOptions, openClickHouseSql, type AnalystSqlOptions, type AnalystSqlRunner } from '#store';
import type { Logger } from '#telemetry';
import type { GatewayConfig } from '../config/gateway-config.js';
import { sqlByStreamName } from '../reads/by-stream-name.js';
import { StoreTables } from '../stores/stores.module.js';
import { ProjectionResults } from './projection-results.js';
import { SQL, SqlStatementRunner } from './sql-statement-runner.js';
import { SqlController } from './sql.controller.js';
import { ViewPublisher } from './view-publisher.js';

/** Nest module of the SQL interface for analysts, which only the query port serves, and of the views for it. */
@Module({
  controllers: [SqlController],
  providers: [
    SqlStatementRunner,
    ProjectionResults,
    {
      provide: SQL,
      inject: [PROCESS, DEFINITIONS],
      useFactory: (
        { config, lifecycle }: ProcessContext<GatewayConfig>,
        definitions: Definitions,
      ): AnalystSqlRunner => {
        const sql = openClickHouseSql(clickHouseOptions(config), sqlOptions(config));
        lifecycle.onStop('sql', () => sql.close());
        return sqlByStreamName(sql, definitions);
      },
    },
    {
      provide: ViewPublisher,
      inject: [PROCESS, SQL, DEFINITIONS, LOGGER, StoreTables],
      useFactory: (
        { config, lifecycle }: ProcessContext<GatewayConfig>,
        sql: AnalystSqlRunner,
        definitions: Definitions,
        logger: Logger,
        tables: StoreTables,
      ): ViewPublisher => {
        const views = new ViewPublisher({ sql, definitions, logger });
        lifecycle.onStart(async () => {
          if (config.SQL_CLICKHOUSE_USER !== '') void tables.exist.then(() => views.start());
        });
        lifecycle.onStop('views', async () => views.close());
        return views;
      },
    },
  ],
})
export class SqlModule {}

function sqlOptions(config: GatewayConfig): AnalystSqlOptions {
  const { SQL_CLICKHOUSE_USER: name, SQL_CLICKHOUSE_PASSWORD: password } = config;
  return {
    user: { name, password },
    bounds: { seconds: config.SQL_SECONDS, memoryBytes: config.SQL_MEMORY_MIB * 1024 * 1024 },
  };
}
