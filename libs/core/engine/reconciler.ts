import { setTimeout as sleep } from 'node:timers/promises';

/** Runs one definition in this process, such as a generation of a projection or a job of a pipeline. */
export interface DefinitionRunner<Desired> {
  /** Starts running the definition, or replaces the running one by a changed one. */
  follow(desired: Desired): Promise<void>;
  /** Saves and leaves the group. What is not saved before `givenUp` resolves is read again by other processes. */
  stop(givenUp: Promise<unknown>): Promise<void>;
}

/** The desired state of a `Reconciler`, and how it makes hosts. */
interface ReconcilerOptions<Desired, Host extends DefinitionRunner<Desired>> {
  definitions: { onChange(listener: () => void): () => void };
  /** Returns the definitions that must run in this process, by id. */
  desired(): ReadonlyMap<string, Desired>;
  make(desired: Desired, id: string): Host;
  /** Called before a host is stopped because its definition must no longer run. */
  stopping(host: Host, id: string): void;
  onFailure(error: unknown): void;
}

/** Milliseconds in which a host whose definition must no longer run may save its results. */
const stopMs = 10_000;

/** Keeps one host running for each definition that must run in this process, as the definitions change. */
export class Reconciler<Desired, Host extends DefinitionRunner<Desired>> {
  private readonly hosts = new Map<string, Host>();
  private readonly stopping = new Map<string, Promise<void>>();
  private closed = false;
  private stopListening: () => void = () => undefined;

  constructor(private readonly options: ReconcilerOptions<Desired, Host>) {}

  /** Starts the hosts, and reconciles them after each change of the definitions. */
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
