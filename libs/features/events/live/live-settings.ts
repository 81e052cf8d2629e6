import { IsInt, Max, Min } from 'class-validator';
import { FromText } from '#api';

/** Settings of live streams. */
export class LiveSettings {
  /** Limit of open streams of live events and of projection changes; the next one gets a 503. */
  @FromText('number') @IsInt() @Min(0) @Max(10_000) LIVE_STREAMS = 500;
  /**
   * Limit of open streams of one API key; the next one gets a 429. Callers on the core port have no key and no such
   * limit.
   */
  @FromText('number') @IsInt() @Min(1) @Max(10_000) LIVE_STREAMS_PER_KEY = 100;
}
