import type { Feature } from '#app';
import { SqlSettings } from './sql-settings.js';
import { SqlModule } from './sql.module.js';

/** SQL for analysts. */
export const sql: Feature = { name: 'sql', settings: [SqlSettings], gateway: SqlModule };

export { AnalystSqlRunner } from './clickhouse/analyst-sql-runner.js';
