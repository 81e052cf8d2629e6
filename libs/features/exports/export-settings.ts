import { IsInt, Max, Min } from 'class-validator';
import { FromText } from '#api';

/** Settings of exports. */
export class ExportSettings {
  /** Exports that this instance runs at the same time; further ones wait. */
  @FromText('number') @IsInt() @Min(1) @Max(100) EXPORT_CONCURRENT = 2;
  /**
   * Exports of one API key at the same time; the next one gets a 429. Callers on the core port have no key and no such
   * limit.
   */
  @FromText('number') @IsInt() @Min(1) @Max(100) EXPORT_CONCURRENT_PER_KEY = 1;
  /** Size limit of an export as Parquet or Arrow, in mebibytes. The file is in TMPDIR until it is sent. */
  @FromText('number') @IsInt() @Min(1) @Max(1_048_576) EXPORT_FILE_MIB = 2_048;
  /** Time limit of ClickHouse for an export as Parquet or Arrow, in seconds. */
  @FromText('number') @IsInt() @Min(1) @Max(86_400) EXPORT_SECONDS = 600;
  /** Time limit of an export in any format, in seconds, from its start until its client has received it. */
  @FromText('number') @IsInt() @Min(1) @Max(604_800) EXPORT_SENDING_SECONDS = 21_600;
}
