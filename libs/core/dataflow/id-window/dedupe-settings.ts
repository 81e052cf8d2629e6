import { IsInt, Max, Min } from 'class-validator';
import { FromText } from '#api';
import type { IdWindowBounds } from './id-window.js';

/** Settings of duplicates. The gateway, the materializer and the processor need the same values. */
export class DedupeSettings {
  /**
   * Number of offsets of a partition within which a repeated event id is recognised, if the repeat is also within
   * DEDUPE_WINDOW_MINUTES.
   */
  @FromText('number') @IsInt() @Min(1) @Max(10_000_000) DEDUPE_WINDOW_RECORDS = 200_000;
  /** Minutes within which a repeated event id is recognised, if the repeat is also within DEDUPE_WINDOW_RECORDS. */
  @FromText('number') @IsInt() @Min(1) @Max(10_080) DEDUPE_WINDOW_MINUTES = 60;
  /**
   * Minutes within which a repeated event id is recognised even if the limit of DEDUPE_WINDOW_RECORDS is exceeded; at
   * most DEDUPE_WINDOW_MINUTES. 0 switches this off.
   */
  @FromText('number') @IsInt() @Min(0) @Max(60) DEDUPE_FAR_MINUTES = 10;
}

/** Returns the bounds of the id window that the settings give. */
export function idWindowBounds(settings: DedupeSettings): IdWindowBounds {
  return {
    records: settings.DEDUPE_WINDOW_RECORDS,
    milliseconds: settings.DEDUPE_WINDOW_MINUTES * 60_000,
  };
}
