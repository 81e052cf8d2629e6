import { randomBytes } from 'node:crypto';
import { SharedCall } from '#async';
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
import type { CommandOutcome, SubscriptionState } from '../state/subscription-state.js';
import { SubscriptionTable } from './subscription-table.js';

interface SubscriptionLogOptions {
  log: Pick<Log, 'tableReader' | 'admin'>;
  producer: Pick<Producer, 'append'>;
  names: Pick<TopicAndGroupNames, 'subscriptions'>;
  /** Returns the runs of all subscriptions that exist. */
  runs(): ReadonlySet<string>;
  logger: Pick<Logger, 'warn' | 'debug'>;
  bounds?: Partial<SnapshotBounds>;
}

/** When the states are written to the topic, and how. */
interface SnapshotBounds {
  /** Bytes of records after which all states are written, and the records before them are deleted. */
  bytes: number;
  /** Milliseconds between two looks at the size, to which every process adds a random time of as much again. */
  everyMs: number;
  /** Limit of deliveries in one record. */
  rows: number;
}

/** A command without the id, which `execute` adds. */
export type NewCommand = {
  [T in SubscriptionCommand['type']]: Omit<Extract<SubscriptionCommand, { type: T }>, 'id'>;
}[SubscriptionCommand['type']];

const defaults: SnapshotBounds = { bytes: 8 * 1024 * 1024, everyMs: 5_000, rows: 2_000 };

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

/** Milliseconds within which this process must read a command back after it has written it. */
const readBackMs = 10_000;

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
  /** Milliseconds by which the broker's clock is ahead of that of this process. */
  private aheadMs: number | undefined;

  constructor(private readonly options: SubscriptionLogOptions) {
    this.bounds = { ...defaults, ...options.bounds };
  }

  /** The broker's time, in milliseconds since 1970, as far as this process knows it. */
  get now(): number {
    return Date.now() + (this.aheadMs ?? 0);
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
   * @throws LogUnavailableError if that is not known: the command may still have an effect
   */
  async execute(run: string, command: NewCommand): Promise<CommandOutcome> {
    await this.opened();
    const id = randomId();
    let outcome: CommandOutcome | undefined;
    this.awaited.set(id, (result) => (outcome = result));
    try {
      await this.append(run, [{ ...command, id }]);
    } finally {
      this.awaited.delete(id);
    }
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
    const snapshots = [...table.runs()].map(
      ([run, state]) => [run, state.snapshot(id, upTo, this.bounds.rows)] as const,
    );
    for (const [run, parts] of snapshots) await this.append(run, parts);
    // A table that is incomplete has perhaps left out commands: its snapshots end before the log begins.
    if (table !== this.table) return;
    const { log, names } = this.options;
    await log.admin.deleteRecords({ topic: names.subscriptions, partition: 0 }, upTo + 1);
  }

  private async opened(): Promise<SubscriptionTable> {
    if (this.isClosed) throw new LogUnavailableError('the subscriptions are closed');
    if (this.reader?.failure) await this.reopen();
    return await this.opening.result();
  }

  private toOpen(): SharedCall<SubscriptionTable> {
    return new SharedCall(() => this.open());
  }

  private async open(): Promise<SubscriptionTable> {
    const { log, names } = this.options;
    await log.admin.create(names.subscriptions, settings);
    const table = new SubscriptionTable({
      applied: (run, { id }, outcome) => {
        this.awaited.get(id)?.(outcome);
        for (const listener of [...(this.listeners.get(run) ?? [])]) listener();
      },
      incomplete: () => void this.reopen(),
    });
    const reader = log.tableReader(names.subscriptions, {
      record: (record) => {
        table.read(record);
        if (this.table === table) this.measureClock(record.timestamp);
      },
    });
    this.reader = reader;
    await reader.start();
    table.complete();
    this.table = table;
    this.lookAtSize();
    return table;
  }

  /** A record is read a moment after the broker has written it, so the largest difference is the best one. */
  private measureClock(timestamp: number): void {
    this.aheadMs = Math.max(timestamp - Date.now(), (this.aheadMs ?? -Infinity) - 1);
  }

  private async reopen(): Promise<void> {
    const { reader } = this;
    this.reader = undefined;
    this.table = undefined;
    this.opening = this.toOpen();
    await reader?.close();
  }

  private async append(run: string, commands: readonly SubscriptionRecord[]): Promise<void> {
    const { producer, names } = this.options;
    const records = commands.map((command): ProducerRecord => {
      return { topic: names.subscriptions, key: run, partition: 0, value: JSON.stringify(command) };
    });
    const positions = await producer.append(records);
    const last = positions.reduce((most, { offset }) => Math.max(most, offset), 0);
    if (!this.reader) throw new LogUnavailableError('the topic of subscriptions is read anew');
    await this.reader.caughtUp(last, readBackMs);
  }

  private lookAtSize(): void {
    clearTimeout(this.timer);
    if (this.isClosed) return;
    const { everyMs, bytes } = this.bounds;
    this.timer = setTimeout(
      () => {
        const isLarge = (this.table?.bytesSinceSnapshot ?? 0) > bytes;
        const written = isLarge ? this.writeSnapshots() : Promise.resolve();
        written
          .catch((error: unknown) => {
            const level = isRetriableLogError(error) ? 'debug' : 'warn';
            this.options.logger[level](
              { err: error as Error },
              'the states of subscriptions were not written',
            );
          })
          .finally(() => this.lookAtSize());
      },
      everyMs * (1 + Math.random()),
    ).unref();
  }
}

function randomId(): string {
  return randomBytes(12).toString('base64url');
}
