import { IsInt, IsString, Max, Min } from 'class-validator';
import { DiffersFrom, FromText, Secret } from '#api';

/** Settings of SQL for analysts. */
export class SqlSettings {
  /** ClickHouse user for the SQL of analysts, with the rights of docs/analysts.md. When it is empty, SQL is off. */
  @IsString() @DiffersFrom('CLICKHOUSE_USER') SQL_CLICKHOUSE_USER = '';
  /** Password of that user. */
  @Secret() @IsString() SQL_CLICKHOUSE_PASSWORD = '';
  /** Time limit of an SQL statement, in seconds. */
  @FromText('number') @IsInt() @Min(1) @Max(3_600) SQL_SECONDS = 30;
  /** Memory limit of an SQL statement in ClickHouse, in mebibytes. */
  @FromText('number') @IsInt() @Min(16) @Max(1_048_576) SQL_MEMORY_MIB = 2_048;
  /** SQL statements that this instance runs on ClickHouse at the same time; further ones wait. */
  @FromText('number') @IsInt() @Min(1) @Max(1_000) SQL_CONCURRENT = 4;
  /** SQL statements of one API key that run at the same time; up to 50 more wait for at most 10 seconds. */
  @FromText('number') @IsInt() @Min(1) @Max(1_000) SQL_CONCURRENT_PER_KEY = 2;
}
