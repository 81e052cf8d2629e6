import type { HttpAnswerMemoryBudget } from '#http';
import { openClickHouse, type ClickHouseStoreOptions, type Store } from '#store';

/** Two clients of the same ClickHouse: one for requests, one for live streams. */
export interface GatewayStores {
  /** The client for requests. The results of this ClickHouse client count in the memory budget of answers. */
  requests: Store;
  /**
   * The client for live streams and for the health check of ClickHouse. This ClickHouse client works even while slow
   * HTTP clients use up the memory budget of answers. The gateway reads at most seven pages at the same time: one of
   * new events, three of history, three of projection changes.
   */
  live: Store;
}

/** Limit of one ClickHouse result that is read for live streams, in bytes. */
const livePageBytes = 16 * 1024 * 1024;

export function openStores(options: ClickHouseStoreOptions, answers: HttpAnswerMemoryBudget): GatewayStores {
  return {
    requests: openClickHouse({ ...options, readBudget: answers }),
    live: openClickHouse({ ...options, bounds: { ...options.bounds, resultBytes: livePageBytes } }),
  };
}
