import type { JsonApiClient } from '../http/api.js';
import type { CallOptions } from '../http/http-client.js';
import type { Pages } from '../reading/pages.js';
import type { DeadLetter, DeadLetterQuery, ReplayReport, ReplayInput } from '../types/index.js';

/** Options of `client.deadLetters.replay`. */
export interface ReplayOptions extends CallOptions {
  /** Reports which dead letters would be replayed, and replays none. */
  dryRun?: boolean;
}

/** `client.deadLetters`: lists and replays dead letters. */
export class DeadLetters {
  constructor(private readonly api: JsonApiClient) {}

  list(query: DeadLetterQuery = {}, options: CallOptions = {}): Pages<DeadLetter> {
    return this.api.list({ path: '/api/v1/dead-letters', name: 'dead_letters', query }, options);
  }

  /**
   * Replays up to a thousand dead letters; `next_cursor` continues. A dead letter that is replayed twice is stored
   * once.
   */
  replay(input: ReplayInput, { dryRun, ...options }: ReplayOptions = {}): Promise<ReplayReport> {
    const query = { dry_run: dryRun };
    return this.api.change('POST', '/api/v1/dead-letters/replay', { body: input, query, ...options });
  }
}
