import { Inject, Injectable } from '@nestjs/common';
import { DEFINITIONS, STORE } from '#app';
import { ProblemError } from '#api';
import { withAnySignal } from '#async';
import { eventToJson, type StoredEvent } from '#event';
import type { Definitions } from '#registry';
import { topLevelColumns } from '#json-schema';
import type { EventFilter, EventReader, DataMemberColumn } from '#store';
import {
  PerKeyConcurrencyLimiter,
  csvHeader,
  csvLine,
  chunksOf,
  onOneLine,
  Bulkhead,
  idsOfStreams,
} from '#gateway-kit';
import { EventFileExporter, type EventFileFormat } from './event-file-exporter.js';
import { ExportSettings } from './export-settings.js';
import { exportedPages } from './exported-pages.js';
import { restingBetween } from './resting-between.js';
import { completeFile, type TemporaryExportFile } from './temporary-export-file.js';

/** Exports that may wait for a slot; the next one is refused. */
const queued = 20;

/** Longest time that an export waits for a slot, in milliseconds. */
const turnMs = 10_000;

/** Format of an export as lines of text, and the signal that ends it. */
interface ExportLinesOptions {
  format: 'ndjson' | 'csv';
  /** Whether an apostrophe precedes each CSV text that a spreadsheet would run as a formula. */
  safe: boolean;
  signal: AbortSignal;
}

/**
 * Exports all events that match a filter, as lines or as a file. An export holds at most one page of events in memory.
 */
@Injectable()
export class EventExporter {
  private readonly turns: Bulkhead;
  /** Limits the exports of each API key that run in this process at the same time. */
  readonly running: PerKeyConcurrencyLimiter;
  private readonly mostBytes: number;
  private readonly mostSeconds: number;

  constructor(
    @Inject(STORE) private readonly store: { reader: Pick<EventReader, 'query' | 'count'> },
    @Inject(EventFileExporter) private readonly files: Pick<EventFileExporter, 'open'>,
    @Inject(DEFINITIONS) private readonly definitions: Pick<Definitions, 'schemas' | 'stream'>,
    private readonly bulkhead: Bulkhead,
    settings: ExportSettings,
  ) {
    this.turns = new Bulkhead({ concurrent: settings.EXPORT_CONCURRENT, queued, waitMs: turnMs });
    this.running = new PerKeyConcurrencyLimiter(settings.EXPORT_CONCURRENT_PER_KEY, 'exports');
    this.mostBytes = settings.EXPORT_FILE_MIB * 1024 ** 2;
    this.mostSeconds = settings.EXPORT_SENDING_SECONDS;
  }

  /**
   * Runs an export as soon as one of the slots that all callers share is free. Its signal is aborted together with
   * `ended`, or when the time limit of an export is over.
   * @throws ProblemError 503 `overloaded` when no slot is free in time
   */
  async run(ended: AbortSignal, send: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const late = new AbortController();
    const { mostSeconds } = this;
    const detail = `The export took longer than ${mostSeconds} s. Narrow the range with since and until.`;
    const tookTooLong = () => late.abort(new ProblemError('query_too_expensive', detail));
    const timer = setTimeout(tookTooLong, mostSeconds * 1_000);
    try {
      await withAnySignal([ended, late.signal], (either) => this.turns.run(either, send));
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Resolves with the approximate number of matching events: others may be written meanwhile. Resolves with undefined
   * for a filter with `where`, because counting its events costs as much as exporting them.
   */
  async total(filter: EventFilter, signal: AbortSignal): Promise<number | undefined> {
    if (filter.where) return undefined;
    const { total } = await this.bulkhead.run(signal, (either) =>
      this.store.reader.count({ ...filter, limit: 1 }, either),
    );
    return total;
  }

  /**
   * Yields the lines of an export in small chunks. The export reads one page of events at a time. Each page waits for a
   * slot like any query, and while queries run, the export rests between pages.
   */
  async *lines(filter: EventFilter, { format, safe, signal }: ExportLinesOptions): AsyncGenerator<string> {
    const { reader } = this.store;
    const csv = safe ? csvLine : (event: StoredEvent) => csvLine(event, (text) => text);
    const line = format === 'csv' ? csv : ndjson;
    if (format === 'csv') yield csvHeader;
    const requireSame = this.sameStreams(filter.streams ?? []);
    const pages = exportedPages((page) =>
      this.bulkhead.run(signal, (either) => reader.query({ ...filter, ...page, order: 'asc' }, either)),
    );
    for await (const events of restingBetween(pages, () => this.bulkhead.busy > 0)) {
      requireSame();
      yield* chunksOf(linesOf(events, line));
    }
  }

  /**
   * Returns a check that throws when a stream of these names was deleted, or deleted and created again, since this
   * call. Each page of an export finds its streams by name.
   */
  private sameStreams(names: readonly string[]): () => void {
    const idsOf = () => names.map((name) => this.definitions.stream(name)?.id).join();
    const ids = idsOf();
    return () => {
      if (idsOf() === ids) return;
      throw new ProblemError('stream_not_found', 'A stream was deleted while it was exported.');
    };
  }

  /**
   * Resolves with the export as a complete file.
   * @throws ProblemError 422 `query_too_expensive` for a file that is too large, and the errors of the store
   */
  async file(
    filter: EventFilter,
    format: EventFileFormat,
    signal: AbortSignal,
  ): Promise<TemporaryExportFile> {
    const query = { ...filter, format, members: this.membersOf(filter) };
    const source = await this.files.open(idsOfStreams(this.definitions).named(query), signal);
    return completeFile(source, { format, mostBytes: this.mostBytes });
  }

  /**
   * Returns a column for each top-level member of the latest schema version, if the filter names exactly one stream and
   * one event type; otherwise none.
   */
  private membersOf({ streams, eventTypes }: EventFilter): DataMemberColumn[] {
    if (streams?.length !== 1 || eventTypes?.length !== 1) return [];
    const [stream, eventType] = [streams[0], eventTypes[0]];
    const subject = this.definitions.schemas
      .all()
      .find((one) => one.stream === stream && one.event_type === eventType && !one.retired);
    return topLevelColumns(subject?.versions.at(-1)?.schema);
  }
}

function* linesOf(events: readonly StoredEvent[], line: (event: StoredEvent) => string): Generator<string> {
  for (const event of events) yield line(event);
}

function ndjson(event: StoredEvent): string {
  return `${onOneLine(eventToJson(event))}\n`;
}
