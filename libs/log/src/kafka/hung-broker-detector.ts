/** Address of a broker, as `host:port`. */
export type BrokerAddress = string;

export interface HungBrokerDetectorOptions {
  /** Asks these brokers for the current brokers of the cluster; the first response wins. */
  ask(brokers: readonly BrokerAddress[]): Promise<readonly BrokerAddress[]>;
  /** Minimum time between two such queries, in milliseconds. */
  everyMs: number;
}

/** An object that holds connections to brokers. */
export interface BrokerConnections {
  /**
   * Closes the connections to this broker. Requests that wait for a response of the broker fail, and can be retried
   * elsewhere.
   */
  cut(broker: BrokerAddress): void;
}

/** Number of brokers that one query asks at once, because one of them may be the broker that hangs. */
const asked = 3;
/**
 * Limit of remembered brokers. They include brokers that have left the cluster, because a client may reconnect to one
 * of these.
 */
const maxKnown = 1_000;

/**
 * Disconnects clients from hung brokers that are no longer in the cluster. A hung broker keeps its connections open,
 * and requests to it would wait until their time-out, long after other brokers lead its partitions. When a response is
 * slow, this class asks other brokers for the current brokers, and closes the connections to all brokers that have
 * left.
 */
export class HungBrokerDetector {
  private readonly connected = new Set<BrokerConnections>();
  /**
   * Brokers that the cluster has reported. Connections to other addresses, such as bootstrap addresses, are never
   * closed.
   */
  private readonly known = new Set<BrokerAddress>();
  /** Brokers in the response to the last query, and brokers that the cluster has reported since. */
  private current = new Set<BrokerAddress>();
  private askedAt = -Infinity;
  private asking = false;

  constructor(private readonly options: HungBrokerDetectorOptions) {}

  add(connected: BrokerConnections): void {
    this.connected.add(connected);
  }

  remove(connected: BrokerConnections): void {
    this.connected.delete(connected);
  }

  /** Adds brokers that the cluster has reported. */
  seen(brokers: Iterable<BrokerAddress>): void {
    if (this.known.size >= maxKnown) this.known.clear();
    for (const broker of brokers) {
      this.known.add(broker);
      this.current.add(broker);
    }
  }

  /**
   * Asks other brokers for the current brokers because a response is slow, at most once every `everyMs`. Callers repeat
   * the call while the response is slow.
   */
  suspect(): void {
    if (this.asking || this.current.size < 2) return;
    if (performance.now() - this.askedAt < this.options.everyMs) return;
    this.asking = true;
    void this.look().finally(() => {
      this.asking = false;
      this.askedAt = performance.now();
    });
  }

  private async look(): Promise<void> {
    try {
      const now = new Set(await this.options.ask(this.some()));
      const gone = [...this.known].filter((broker) => !now.has(broker));
      this.current = now;
      for (const broker of gone) for (const connected of this.connected) connected.cut(broker);
    } catch {
      // No broker responds: requests wait until their time-out.
    }
  }

  /** Returns up to three current brokers, starting at a random one. */
  private some(): BrokerAddress[] {
    const all = [...this.current];
    const first = Math.floor(Math.random() * all.length);
    return [...all.slice(first), ...all.slice(0, first)].slice(0, asked);
  }
}
