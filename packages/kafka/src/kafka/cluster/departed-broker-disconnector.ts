/** Address of a broker, as `host:port`. */
export type BrokerAddress = string;

/** How a `DepartedBrokerDisconnector` asks the cluster for its brokers, and how often. */
interface DepartedBrokerDisconnectorOptions {
  /** Asks these brokers for the current brokers of the cluster; the first response wins. */
  ask(brokers: readonly BrokerAddress[]): Promise<readonly BrokerAddress[]>;
  /** Minimum time between two queries for the current brokers, in milliseconds. */
  everyMs: number;
  /** Time after a query without a broker for which nothing connects to it, in milliseconds. */
  departedMs: number;
}

/** The connections of one Kafka client to brokers, which can be closed by broker. */
export interface BrokerConnections {
  /** Closes the connections to this broker. Requests that wait for its response fail, and can be retried elsewhere. */
  cut(broker: BrokerAddress): void;
}

/** Number of brokers that one query asks at once, because one of them may be the broker that hangs. */
const asked = 3;
/** Limit of remembered brokers, including those that have left the cluster: a client may reconnect to them. */
const maxKnown = 1_000;

/**
 * Closes the connections to brokers that the cluster no longer lists. A hung broker keeps its connections open, and
 * requests to it would wait until their time-out, long after other brokers lead its partitions. When a response is
 * slow, this class asks a few brokers for the current brokers of the cluster, and closes all connections to brokers
 * that have left. Clients do not reconnect to them for a while: the operating system of a hung process accepts connections,
 * so a client whose first broker hangs would ask it again and again. A hung broker that the cluster still lists remains
 * connected.
 */
export class DepartedBrokerDisconnector {
  private readonly connected = new Set<BrokerConnections>();
  /** Brokers that the cluster has reported. Connections to other addresses (bootstrap) are never closed. */
  private readonly known = new Set<BrokerAddress>();
  /** The brokers in the response to the last query, and those that metadata responses have listed since. */
  private current = new Set<BrokerAddress>();
  /** Until when nothing connects to a broker that has left the cluster, in milliseconds of `performance.now()`. */
  private departed = new Map<BrokerAddress, number>();
  /** Brokers that metadata responses have listed since the last query began: its answer may be older. */
  private readonly seenMeanwhile = new Set<BrokerAddress>();
  private askedAt = -Infinity;
  private asking = false;

  constructor(private readonly options: DepartedBrokerDisconnectorOptions) {}

  add(connected: BrokerConnections): void {
    this.connected.add(connected);
  }

  remove(connected: BrokerConnections): void {
    this.connected.delete(connected);
  }

  /** Adds brokers that a metadata response of the cluster has listed. */
  seen(brokers: Iterable<BrokerAddress>): void {
    if (this.known.size >= maxKnown) for (const all of [this.known, this.seenMeanwhile]) all.clear();
    for (const broker of brokers) {
      this.known.add(broker);
      this.current.add(broker);
      this.departed.delete(broker);
      this.seenMeanwhile.add(broker);
    }
  }

  /** Whether a query has shown lately that the broker has left the cluster. */
  hasDeparted(broker: BrokerAddress): boolean {
    return performance.now() < (this.departed.get(broker) ?? -Infinity);
  }

  /** A response is slow: asks a few brokers for the current ones, at most every `everyMs`. Called repeatedly. */
  suspect(): void {
    if (this.asking || this.current.size < 2) return;
    if (performance.now() - this.askedAt < this.options.everyMs) return;
    this.asking = true;
    void this.disconnectDeparted().finally(() => {
      this.asking = false;
      this.askedAt = performance.now();
    });
  }

  private async disconnectDeparted(): Promise<void> {
    try {
      this.seenMeanwhile.clear();
      const now = new Set(await this.options.ask(this.some()));
      for (const broker of this.seenMeanwhile) now.add(broker);
      const gone = [...this.known].filter((broker) => !now.has(broker));
      this.current = now;
      const until = performance.now() + this.options.departedMs;
      this.departed = new Map(gone.map((broker) => [broker, until]));
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
