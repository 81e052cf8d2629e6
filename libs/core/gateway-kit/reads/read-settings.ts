import { IsInt, Max, Min } from 'class-validator';
import { FromText } from '#api';

/** Settings of queries. */
export class ReadSettings {
  /** Queries that this instance runs on ClickHouse at the same time. */
  @FromText('number') @IsInt() @Min(1) @Max(1000) READS_CONCURRENT = 8;
  /** Queries that may wait for a slot; the next query gets a 503. */
  @FromText('number') @IsInt() @Min(0) @Max(100_000) READS_QUEUED = 256;
}
