import { Inject, Injectable } from '@nestjs/common';
import { DEFINITIONS, LOG, LOGGER } from '#app';
import { DedupeSettings, farBounds, farReach, idWindowBounds, SharedIdWindows } from '#dataflow';
import {
  Erasures,
  KafkaOrClickHouseRetrier,
  logTimeAt,
  PartitionErasureLookup,
  PartitionTaskHost,
  warmUpStart,
  type OwnedPartition,
} from '#engine';
import { TopicAndGroupNames, streamNameOf } from '#event';
import type { Log, NewlyAssignedPartition } from '#kafka';
import type { Definitions } from '#registry';
import type { Logger } from '#telemetry';
import { leaveOutRejected, VerdictTable } from '#verdicts';
import { AcceptedEventsTask, type AcceptedPage } from './accepted-events-task.js';
import { streamKey } from './live-position.js';

/** A partition that begins to be read, with what the log has of it. */
interface OpenedAcceptedPartition {
  key: string;
  partition: number;
  /** Offset up to which the materializer has stored the partition's events. */
  committed: number;
  /** First offset that the log still has, and the offset of its next record. */
  beginning: number;
  end: number;
}

/** Receives accepted events from an `AcceptedEventsReader`. */
export interface AcceptedEventsSink {
  /** Called before the first page of a partition, possibly more than once. Returns the first offset to deliver. */
  opened(partition: OpenedAcceptedPartition): number;
  /** Resolves when the page is delivered. Pages of one partition follow each other. */
  deliver(page: AcceptedPage): Promise<void>;
  /** Called when reading has ended for good. */
  failed(error: unknown): void;
}

/** Reads accepted events of topics until it is stopped. */
export type AcceptedEventsConsumption = Pick<
  PartitionTaskHost<AcceptedEventsTask>,
  'subscribe' | 'reassign' | 'stop'
>;

/**
 * Reads the events of streams straight from the log, and decides and deduplicates them as every consumer does: conditional events
 * wait for their verdicts, and id windows are warmed up before the first event is delivered.
 */
@Injectable()
export class AcceptedEventsReader {
  private readonly verdicts: VerdictTable;
  private readonly erasures: Erasures;
  private readonly idWindows: SharedIdWindows;
  private readonly decided: Log;
  private readonly retry: KafkaOrClickHouseRetrier;

  constructor(
    @Inject(LOG) log: Log,
    @Inject(DEFINITIONS) definitions: Pick<Definitions, 'erasures' | 'onChange'>,
    private readonly topics: TopicAndGroupNames,
    dedupe: DedupeSettings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.verdicts = new VerdictTable({ log, names: topics });
    this.erasures = new Erasures(definitions);
    this.idWindows = new SharedIdWindows(idWindowBounds(dedupe));
    this.retry = new KafkaOrClickHouseRetrier({ logger });
    this.decided = leaveOutRejected(log, {
      verdicts: this.verdicts,
      committed: async ({ topic, partition }) =>
        (await log.admin.committed(topics.materializerGroup, topic)).get(partition) ?? 0,
      waiting: () => undefined,
      isStream: (topic) => topics.streamOf(topic) !== undefined,
      busy: { records: dedupe.DEDUPE_WINDOW_RECORDS, milliseconds: farReach(farBounds(dedupe)) },
      logTimeAt,
    });
  }

  /** Starts to read for this sink. The caller then subscribes to topics. */
  read(sink: AcceptedEventsSink): AcceptedEventsConsumption {
    return new PartitionTaskHost<AcceptedEventsTask>({
      name: 'accepted events',
      group: this.topics.materializerGroup,
      kind: 'gateway',
      collectMs: 0,
      log: { consumer: (options) => this.decided.consumer({ ...options, standalone: true }) },
      tasks: { open: (partition) => this.open(partition, sink) },
      retry: this.retry,
      logger: this.logger,
      progress: { moved: () => undefined },
      now: Date.now,
      onFailure: (error) => sink.failed(error),
    });
  }

  async close(): Promise<void> {
    this.erasures.close();
    await this.verdicts.close();
  }

  private async open(
    owned: OwnedPartition,
    sink: AcceptedEventsSink,
  ): Promise<AcceptedEventsTask | 'not-mine'> {
    const { topic, partition, assignment, ended } = owned;
    const id = this.topics.streamOf(topic);
    if (id === undefined) return 'not-mine';
    const key = streamKey(id);
    const { beginning, position: committed } = assignment;
    // The end offset: no record is as late.
    const endOf = () => assignment.offsetAt(Number.MAX_SAFE_INTEGER);
    const end = await this.retry.run('log', ended, endOf);
    const from = sink.opened({ key, partition, committed, beginning, end });
    const warmUp = await this.retry.run('log', ended, () => this.warmUpStart(assignment, from));
    const window = this.idWindows.open({
      ...{ topic, partition, beginning, warmUpStart: warmUp },
      position: Math.min(from, committed),
      epochBefore: (offset) => assignment.epochBefore(offset),
    });
    const deliver = (page: AcceptedPage) => sink.deliver(page);
    const erasures = new PartitionErasureLookup(this.erasures, { stream: id, partition });
    const source = { key, stream: streamNameOf(id) };
    return new AcceptedEventsTask({ partition: owned, source, from, window, erasures, deliver });
  }

  private warmUpStart(assignment: NewlyAssignedPartition, from: number): Promise<number> {
    const { bounds } = this.idWindows;
    if (from >= assignment.position) return warmUpStart(assignment, bounds, Date.now());
    const timestampAtPosition = (): Promise<undefined> => Promise.resolve(undefined);
    return warmUpStart({ ...assignment, position: from, timestampAtPosition }, bounds, Date.now());
  }
}
