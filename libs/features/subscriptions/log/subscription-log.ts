import { randomBytes } from 'node:crypto';
import { SharedCall, within } from '#async';
import type { TopicAndGroupNames } from '#event';
import {
  isRetriableLogError,
  LogUnavailableError,
  type GlobalTableReader,
  type Log,
  type Producer,
  type ProducerRecord,
} from '#kafka';
import type { Logger } from '#telemetry';
import type { SubscriptionCommand, SubscriptionRecord } from '../state/subscription-command.js';
import type { DeliveryTally } from '../state/delivery-tally.js';
import type { CommandOutcome, SubscriptionState } from '../state/subscription-state.js';
import { SubscriptionTable } from './subscription-table.js';

interface SubscriptionLogOptions {
  log: Pick<Log, 'tableReader' | 'admin'>;
  producer: Pick<Producer, 'append'>;
  names: Pick<TopicAndGroupNames, 'subscriptions'>;
  /** Returns the runs of all subscriptions that exist. */
  runs(): ReadonlySet<string>;
  /** Is called with what each command of this process did. */
  counted?(run: string, tally: DeliveryTally): void;
  logger: Pick<Logger, 'error' | 'warn' | 'debug'>;
  bounds?: Partial<SnapshotBounds>;
}

/** When the states are written to the topic, and how. */
interface SnapshotBounds {
  /** Bytes of records after which all states are written, and the records before them are deleted. */
  bytes: number;
  /** Milliseconds between two looks at the size, to which every process adds a random time of as much again. */
  everyMs: number;
  /** Bytes of one record of a snapshot. */
  recordBytes: number;
}

/** A command without the id, which `execute` adds. */
export type NewCommand = {
  [T in SubscriptionCommand['type']]: Omit<Extract<SubscriptionCommand, { type: T }>, 'id'>;
}[SubscriptionCommand['type']];

const defaults: SnapshotBounds = { bytes: 8 * 1024 * 1024, everyMs: 5_000, recordBytes: 400_000 };

/** One partition: the order of its records decides. `LogAppendTime`: all processes agree on what has expired. */
const settings = {
  partitions: 1,
  config: {
    'cleanup.policy': 'delete',
    'retention.ms': '-1',
    'retention.bytes': '-1',
    'message.timestamp.type': 'LogAppendTime',
    'segment.bytes': String(16 * 1024 * 1024),
  },
};

/** Number of records of snapshots that are written at once. */
const snapshotsAtOnce = 50;
/** Key of the record behind all snapshots; no run has it. */
const endKey = 'snapshots';

/** Milliseconds within which this process must read a command back after it has written it. */
const readBackMs = 10_000;
/** Milliseconds for which a command is awaited that was not read back in time. */
const lateMs = 60_000;

/**
 * The topic `subscriptions`, in which all processes write the commands on subscriptions, and from which each computes the same
 * states. What a command did is known when the process has read it back.
 *
 * The topic is kept short: now and then a process writes the states of all subscriptions behind the commands, and deletes the
 * records that these snapshots make superfluous. Several may do so at once.
 */
export class SubscriptionLog {
  private table: SubscriptionTable | undefined;
  private reader: GlobalTableReader | undefined;
  private opening = this.toOpen();
  private readonly awaited = new Map<string, (outcome: CommandOutcome) => void>();
  private readonly listeners = new Map<string, Set<() => void>>();
  private readonly bounds: SnapshotBounds;
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;
  /** Bytes that the last snapshots of this process took. */
  private snapshotBytes = 0;
  /** Milliseconds by which the broker's clock is ahead of `performance.now()`, which no correction of the time changes. */
  private aheadMs: number | undefined;

  constructor(private readonly options: SubscriptionLogOptions) {
    this.bounds = { ...defaults, ...options.bounds };
  }

  /** The broker's time, in milliseconds since 1970, as far as this process knows it. */
  get now(): number {
    return this.aheadMs === undefined ? Date.now() : Math.floor(performance.now() + this.aheadMs);
  }

  /**
   * Returns the state of a run. It changes with each command in the topic.
   * @throws LogUnavailableError while Kafka cannot be reached
   */
  async stateOf(run: string): Promise<SubscriptionState> {
    return (await this.opened()).of(run);
  }

  /** Calls back after each command on a run. Returns what ends that. */
  onChange(run: string, listener: () => void): () => void {
    const own = this.listeners.get(run) ?? new Set();
    this.listeners.set(run, own);
    own.add(listener);
    return () => {
      own.delete(listener);
      if (own.size === 0) this.listeners.delete(run);
    };
  }

  /**
   * Writes a command, and resolves with what it did once this process has read it back.
   * @param late is called with what it did if the process reads it back later
   * @throws LogUnavailableError if that is not known: the command may still have an effect
   */
  async execute(
    run: string,
    command: NewCommand,
    late: (outcome: CommandOutcome) => void = () => undefined,
  ): Promise<CommandOutcome> {
    await this.opened();
    const id = randomId();
    let outcome: CommandOutcome | undefined;
    this.awaited.set(id, (result) => (outcome = result));
    try {
      await this.append(run, [{ ...command, id }]);
    } catch (error) {
      this.awaited.set(id, late);
      setTimeout(() => this.awaited.delete(id), lateMs).unref();
      throw error;
    }
    this.awaited.delete(id);
    if (outcome) return outcome;
    throw new LogUnavailableError('a command on a subscription was not read back');
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    await this.reader?.close();
  }

  /** Writes all states, and deletes the records that are superfluous then. */
  async writeSnapshots(): Promise<void> {
    const table = await this.opened();
    table.forgetUnknown(this.options.runs());
    const { upTo } = table;
    if (upTo < 0) return;
    const id = randomId();
    const records = [...table.runs()].flatMap(([run, state]) =>
      state.snapshot(id, upTo, this.bounds.recordBytes).map((chunk) => this.recordOf(run, chunk)),
    );
    records.push(this.recordOf(endKey, { type: 'snapshots', id, upTo }));
    this.snapshotBytes = records.reduce((sum, { value }) => sum + (value?.length ?? 0), 0);
    for (let at = 0; at < records.length; at += snapshotsAtOnce)
      await this.appendRecords(records.slice(at, at + snapshotsAtOnce));
    // A table that is incomplete has perhaps left out commands: its snapshots end before the log begins.
    if (table !== this.table) return;
    const { log, names } = this.options;
    await log.admin.deleteRecords({ topic: names.subscriptions, partition: 0 }, upTo + 1);
  }

  private async opened(): Promise<SubscriptionTable> {
    if (this.isClosed) throw new LogUnavailableError('the subscriptions are closed');
    if (this.reader?.failure) await this.reopen();
    return await within(readBackMs, this.opening.result(), () => {
      throw new LogUnavailableError('the topic of subscriptions is still being read');
    });
  }

  private toOpen(): SharedCall<SubscriptionTable> {
    return new SharedCall(() => this.open());
  }

  private async open(): Promise<SubscriptionTable> {
    const { log, names } = this.options;
    await log.admin.create(names.subscriptions, settings);
    if (this.isClosed) throw new LogUnavailableError('the subscriptions are closed');
    const table = new SubscriptionTable({
      applied: (run, { id }, outcome) => {
        const own = this.awaited.get(id);
        own?.(outcome);
        if (own) this.options.counted?.(run, outcome.tally);
        for (const listener of [...(this.listeners.get(run) ?? [])]) listener();
      },
      incomplete: () => void this.reopen().catch(() => undefined),
    });
    const reader = log.tableReader(names.subscriptions, {
      record: (record) => {
        table.read(record);
        if (this.table === table) this.measureClock(record.timestamp);
      },
    });
    this.reader = reader;
    try {
      await reader.start();
      // While it was read, another process may have written snapshots and deleted what was to be read.
      const [range] = await log.admin.offsets(names.subscriptions);
      const { beginning, end } = range ?? { beginning: 0, end: 0 };
      if (end > beginning) await reader.caughtUp(end - 1, readBackMs);
      if (!table.isWhole) throw this.damaged(beginning);
      table.complete(Math.max(end, table.upTo + 1));
    } catch (error) {
      await reader.close();
      throw error;
    }
    this.table = table;
    this.checkSize();
    return table;
  }

  private damaged(beginning: number): LogUnavailableError {
    const { names, logger } = this.options;
    const message =
      `The topic ${names.subscriptions} begins at offset ${beginning} without the states at that offset: records were lost. ` +
      'Restore the topic; or delete it, and every subscription begins again where its definition says.';
    const error = new LogUnavailableError(message);
    logger.error({ err: error }, 'Subscriptions cannot be served');
    return error;
  }

  /** A record is read a moment after the broker has written it, so the largest difference is the best one. */
  private measureClock(timestamp: number): void {
    this.aheadMs = Math.max(timestamp - performance.now(), (this.aheadMs ?? -Infinity) - 1);
  }

  private async reopen(): Promise<void> {
    const { reader } = this;
    this.reader = undefined;
    this.table = undefined;
    this.opening = this.toOpen();
    await reader?.close();
  }

  private append(run: string, commands: readonly SubscriptionRecord[]): Promise<void> {
    return this.appendRecords(commands.map((command) => this.recordOf(run, command)));
  }

  private recordOf(key: string, record: SubscriptionRecord): ProducerRecord {
    return { topic: this.options.names.subscriptions, key, partition: 0, value: JSON.stringify(record) };
  }

  private async appendRecords(records: readonly ProducerRecord[]): Promise<void> {
    const positions = await this.options.producer.append(records);
    const last = positions.reduce((most, { offset }) => Math.max(most, offset), 0);
    if (!this.reader)
      throw new LogUnavailableError('the topic of subscriptions is read again from its beginning');
    await this.reader.caughtUp(last, readBackMs);
  }

  private checkSize(): void {
    clearTimeout(this.timer);
    if (this.isClosed) return;
    const { everyMs, bytes } = this.bounds;
    this.timer = setTimeout(
      () => {
        const most = Math.max(bytes, 2 * this.snapshotBytes);
        const isLarge = (this.table?.bytesSinceSnapshot ?? 0) > most;
        const written = isLarge ? this.writeSnapshots() : Promise.resolve();
        written
          .catch((error: unknown) => {
            const level = isRetriableLogError(error) ? 'debug' : 'warn';
            this.options.logger[level](
              { err: error as Error },
              'the states of subscriptions were not written',
            );
          })
          .finally(() => this.checkSize());
      },
      everyMs * (1 + Math.random()),
    ).unref();
  }
}

function randomId(): string {
  return randomBytes(12).toString('base64url');
}
