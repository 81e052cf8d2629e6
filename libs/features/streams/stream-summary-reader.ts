import { Inject, Injectable } from '@nestjs/common';
import { STORE } from '#app';
import type { StreamAccess } from '#api';
import type { EventReader, StreamSummary } from '#store';
import { Bulkhead } from '#gateway-kit';

/** Reads summaries of the events that can be queried, by stream name. Streams without events have no summary. */
@Injectable()
export class StreamSummaryReader {
  constructor(
    @Inject(STORE) private readonly store: { reader: EventReader },
    private readonly bulkhead: Bulkhead,
  ) {}

  /**
   * Resolves with the summaries of these streams.
   * @throws ProblemError 503 `overloaded`
   * @throws StoreUnavailableError
   * @throws QueryTooExpensiveError
   */
  async of(
    query: { access: StreamAccess; streams: readonly string[] },
    client: AbortSignal,
  ): Promise<Map<string, StreamSummary>> {
    if (query.streams.length === 0) return new Map();
    const found = await this.bulkhead.run(client, (signal) => this.store.reader.streams(query, signal));
    return new Map(found.map((summary) => [summary.stream, summary]));
  }
}
