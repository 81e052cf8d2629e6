import type { AnswerBudget } from '#http';
import { openClickHouse, type ClickHouseOptions, type Store } from '#store';

/** The same ClickHouse, by whom it is read for. */
export interface GatewayStores {
  /** For requests: what is read for them counts in the budget of answers. */
  requests: Store;
  /**
   * For live streams and the check whether ClickHouse answers: they go on while clients that do not read hold the budget.
   * Seven pages at most are read at the same time: one that is new, three of history, three of changes of projections.
   */
  live: Store;
}

/** Bytes of one answer that is read for live streams. */
const livePageBytes = 16 * 1024 * 1024;

export function openStores(options: ClickHouseOptions, answers: AnswerBudget): GatewayStores {
  return {
    requests: openClickHouse({ ...options, readBudget: answers }),
    live: openClickHouse({ ...options, bounds: { ...options.bounds, resultBytes: livePageBytes } }),
  };
}
