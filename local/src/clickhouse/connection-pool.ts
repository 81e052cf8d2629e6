import { LocalClickHouseRequestError, code } from './errors.js';
import type { EngineConnection, StatementContext } from './engine-connection.js';

interface Waiting {
  state: StatementContext;
  resolve(lane: EngineConnection): void;
  reject(error: Error): void;
  timer: NodeJS.Timeout;
}

/** Limits of the statements that wait for a connection of the pool. */
interface PoolQueueLimits {
  /** The maximum number of statements that wait for a free connection; further ones are refused. */
  maxWaiting: number;
  /** The maximum waiting time in milliseconds. */
  maxWaitMs: number;
}

/**
 * A pool of connections to the embedded ClickHouse engine. Each connection is lent to one statement at a time; further
 * statements wait in a bounded queue.
 */
export class ConnectionPool {
  private readonly free: EngineConnection[];
  private readonly waiting: Waiting[] = [];

  constructor(
    private readonly lanes: readonly EngineConnection[],
    private readonly limits: PoolQueueLimits,
  ) {
    this.free = [...lanes];
  }

  get busy(): number {
    return this.lanes.length - this.free.length + this.waiting.length;
  }

  /**
   * Lends a connection to one statement, until `release`. Prefers a connection that is already in the desired state.
   * @throws LocalClickHouseRequestError if too many statements wait, or the waiting time is exceeded.
   */
  acquire(state: StatementContext): Promise<EngineConnection> {
    const index = Math.max(
      0,
      this.free.findIndex((lane) => lane.fits(state)),
    );
    const [lane] = this.free.splice(index, 1);
    if (lane) return Promise.resolve(lane);
    if (this.waiting.length >= this.limits.maxWaiting) return Promise.reject(tooMany(this.limits.maxWaiting));
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(entry), 1);
        reject(tooMany(this.waiting.length + 1));
      }, this.limits.maxWaitMs);
      const entry: Waiting = { state, resolve, reject, timer };
      this.waiting.push(entry);
    });
  }

  forEach(visit: (lane: EngineConnection) => void): void {
    this.lanes.forEach(visit);
  }

  release(lane: EngineConnection): void {
    const next = this.waiting.shift();
    if (!next) return void this.free.push(lane);
    clearTimeout(next.timer);
    next.resolve(lane);
  }

  /** Closes all connections. The caller ensures that no statement runs. */
  close(): void {
    for (const entry of this.waiting.splice(0)) {
      clearTimeout(entry.timer);
      entry.reject(new LocalClickHouseRequestError(code.aborted, 'ABORTED', 'The server is shutting down'));
    }
    for (const lane of this.lanes) lane.close();
  }
}

function tooMany(waiting: number): LocalClickHouseRequestError {
  return new LocalClickHouseRequestError(
    code.tooManySimultaneousQueries,
    'TOO_MANY_SIMULTANEOUS_QUERIES',
    `Too many simultaneous queries: ${waiting} are waiting for a free connection of the embedded engine`,
  );
}
