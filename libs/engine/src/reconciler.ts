import { setTimeout as sleep } from 'node:timers/promises';

/** A host that runs one definition, such as a projection or a pipeline. */
export interface ReconciledHost<Desired> {
  /** Runs this definition from now on; replaces the former one. */
  follow(desired: Desired): Promise<void>;
  /**
   * Saves what was read and leaves the consumer group. Other processes read the records again that are not saved before
   * `givenUp` resolves.
   */
  stop(givenUp: Promise<unknown>): Promise<void>;
}

export interface ReconcilerOptions<Desired, Host extends ReconciledHost<Desired>> {
  definitions: { onChange(listener: () => void): () => void };
  /** Returns the desired hosts by id. */
  desired(): ReadonlyMap<string, Desired>;
  make(desired: Desired, id: string): Host;
  /** Called when a host is no longer desired. */
  stopping(host: Host, id: string): void;
  onFailure(error: unknown): void;
}

/** Milliseconds that a host may use to save when it is no longer desired. */
const stopMs = 10_000;

/** Keeps one host running for each desired definition, and follows changes of the definitions. */
export class Reconciler<Desired, Host extends ReconciledHost<Desired>> {
  private readonly hosts = new Map<string, Host>();
  private readonly stopping = new Map<string, Promise<void>>();
  private closed = false;
  private stopListening: () => void = () => undefined;

  constructor(private readonly options: ReconcilerOptions<Desired, Host>) {}

  /** Follows the definitions from now on. */
  start(): void {
    const follow = (): void => {
      try {
        this.follow();
      } catch (error) {
        this.options.onFailure(error);
      }
    };
    this.stopListening = this.options.definitions.onChange(follow);
    follow();
  }

  get size(): number {
    return this.hosts.size;
  }

  [Symbol.iterator](): Iterator<Host> {
    return this.hosts.values();
  }

  async close(givenUp: Promise<unknown>): Promise<void> {
    this.closed = true;
    this.stopListening();
    await Promise.all([...this.hosts.values()].map((host) => host.stop(givenUp)));
    await Promise.all(this.stopping.values());
  }

  private follow(): void {
    if (this.closed) return;
    const desired = this.options.desired();
    for (const [id, host] of this.hosts) if (!desired.has(id)) this.stop(id, host);
    // A host that is still stopping is reconciled again when it has stopped.
    for (const [id, one] of desired) if (!this.stopping.has(id)) this.run(id, one);
  }

  private run(id: string, desired: Desired): void {
    const host = this.hosts.get(id) ?? this.options.make(desired, id);
    this.hosts.set(id, host);
    host
      .follow(desired)
      .catch((error: unknown) => this.closed || this.stopping.has(id) || this.options.onFailure(error));
  }

  private stop(id: string, host: Host): void {
    if (this.stopping.has(id)) return;
    this.options.stopping(host, id);
    const stopped = host.stop(sleep(stopMs, undefined, { ref: false })).then(
      () => {
        this.stopping.delete(id);
        this.hosts.delete(id);
        this.follow();
      },
      (error: unknown) => this.options.onFailure(error),
    );
    this.stopping.set(id, stopped);
  }
}
