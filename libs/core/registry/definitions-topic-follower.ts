import { Backoff } from '#async';
import { LogUnavailableError, type Log, type GlobalTableReader } from '#kafka';
import type { DefinitionsView } from './definitions-view.js';

/** Milliseconds between two checks whether the reader has failed. */
const pollMs = 500;

/**
 * Keeps a materialized view of the definitions topic up to date. If the topic's reader fails, the last view is still
 * served, and new readers with a new view are tried until one has read the whole topic.
 */
export class DefinitionsTopicFollower {
  private reader: GlobalTableReader;
  /** The materialized view that is served. After a failure of the topic's reader, a new view object replaces it. */
  view: DefinitionsView;
  private readonly listeners = new Set<() => void>();
  private replacing: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** Milliseconds until the next reader is tried after a replacement has failed. */
  private readonly backoff = new Backoff(1_000, 30_000);
  private nextTry = 0;

  constructor(
    private readonly log: Log,
    private readonly topic: string,
    private readonly newView: () => DefinitionsView,
  ) {
    this.view = newView();
    this.reader = this.readerOf(this.view);
  }

  get failure(): Error | undefined {
    return this.reader.failure;
  }

  /** Milliseconds since Kafka last answered a read of the definitions topic; Infinity before its first answer. */
  get ageMs(): number {
    const { answeredAt } = this.reader;
    return answeredAt === undefined ? Infinity : performance.now() - answeredAt;
  }

  private readerOf(view: DefinitionsView): GlobalTableReader {
    return this.log.tableReader(this.topic, {
      record: (record) => {
        if (view.apply(record) && view === this.view) this.notify();
      },
      undecodable: ({ offset, lastOffset }) => (view.unreadable += lastOffset - offset + 1),
    });
  }

  /**
   * Resolves when the view contains every record that was in the definitions topic at the time of the call. If the
   * reader has failed, tries a new one.
   */
  async start(): Promise<void> {
    if (this.reader.failure) await this.replace();
    else await this.reader.start();
    this.timer ??= setInterval(() => void this.replaceFailed(), pollMs).unref();
  }

  /** Replaces the failed reader and its view by new ones. Concurrent calls share one replacement. */
  private replace(): Promise<void> {
    this.replacing ??= this.replaceReader().finally(() => (this.replacing = undefined));
    return this.replacing;
  }

  private async replaceFailed(): Promise<void> {
    if (!this.reader.failure || this.replacing || Date.now() < this.nextTry) return;
    try {
      await this.replace();
      this.backoff.reset();
    } catch {
      this.nextTry = Date.now() + this.backoff.next();
    }
  }

  private async replaceReader(): Promise<void> {
    const view = this.newView();
    const reader = this.readerOf(view);
    try {
      await reader.start();
    } catch (error) {
      await reader.close();
      throw error;
    }
    const failed = this.reader;
    this.reader = reader;
    this.view = view;
    await failed.close();
    this.notify();
  }

  /**
   * Resolves when the view contains the record at this offset of the definitions topic. @throws LogUnavailableError
   * after `timeoutMs` milliseconds, or if the reader has failed
   */
  async caughtUp(offset: number, timeoutMs: number): Promise<void> {
    try {
      await this.reader.caughtUp(offset, timeoutMs);
    } catch (error) {
      throw new LogUnavailableError('the view of the definitions is not up to date', { cause: error });
    }
  }

  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private notify(): void {
    for (const listener of [...this.listeners]) listener();
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.reader.close();
    await this.replacing?.then(
      () => this.reader.close(),
      () => undefined,
    );
  }
}
