/** `host:port` */
export type BrokerAddress = string;

export interface SilentBrokersOptions {
  /** Asks these brokers which brokers the cluster has now. The first answer counts. */
  ask(brokers: readonly BrokerAddress[]): Promise<readonly BrokerAddress[]>;
  /** The least time between two questions, in milliseconds. */
  everyMs: number;
}

/** Holds connections to brokers. */
export interface Connected {
  /** Closes the connections to this broker; what waits for an answer of it fails, and may be tried elsewhere. */
  cut(broker: BrokerAddress): void;
}

/** How many brokers are asked at once: one of them may be the silent one. */
const asked = 3;
/** Brokers that have left the cluster are among them: a client may connect to one of them again. */
const maxKnown = 1_000;

/**
 * A broker that hangs keeps its connections open, and requests to it would wait until their time-out, long after the
 * cluster has given its partitions to others. When an answer is slow, this asks the other brokers whether that broker is
 * still one of them, and cuts the connections to it when it is not.
 */
export class SilentBrokers {
  private readonly connected = new Set<Connected>();
  /** Brokers that the cluster has named. Connections to other addresses, such as bootstrap addresses, are never cut. */
  private readonly known = new Set<BrokerAddress>();
  /** Brokers that the cluster has named since the last question. */
  private current = new Set<BrokerAddress>();
  private askedAt = -Infinity;
  private asking = false;

  constructor(private readonly options: SilentBrokersOptions) {}

  add(connected: Connected): void {
    this.connected.add(connected);
  }

  remove(connected: Connected): void {
    this.connected.delete(connected);
  }

  /** The cluster has named these. */
  seen(brokers: Iterable<BrokerAddress>): void {
    if (this.known.size >= maxKnown) this.known.clear();
    for (const broker of brokers) {
      this.known.add(broker);
      this.current.add(broker);
    }
  }

  /** An answer is slow. Called again for as long as it is. */
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
      // Nobody answers: requests wait until their time-out.
    }
  }

  /** Chooses other brokers each time. */
  private some(): BrokerAddress[] {
    const all = [...this.current];
    const first = Math.floor(Math.random() * all.length);
    return [...all.slice(first), ...all.slice(0, first)].slice(0, asked);
  }
}
