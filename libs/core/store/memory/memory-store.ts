import type { Store, StoreUsage } from '../store.js';
import { MemoryEventRemover } from './memory-event-remover.js';
import { MemoryKeyedStates } from './memory-keyed-states.js';
import { MemoryScrubPasses } from './memory-scrub-passes.js';
import { MemoryReader, type EvaluateCondition } from './memory-reader.js';
import { MemoryScrubReader } from './memory-scrub-reader.js';
import { MemoryTables } from './memory-tables.js';
import { MemoryWriter } from './memory-writer.js';

/** In-memory fake of the store for fast tests; it passes the same contract suite as ClickHouse. */
export class MemoryStore implements Store {
  readonly tables = new MemoryTables();
  readonly writer: MemoryWriter;
  readonly reader: MemoryReader;
  readonly eraser: MemoryEventRemover;
  readonly scrubPasses = new MemoryScrubPasses();
  readonly scrub: MemoryScrubReader;
  readonly projectionResults = new MemoryKeyedStates();
  readonly projections = new MemoryKeyedStates(this.projectionResults);
  readonly pipelines = new MemoryKeyedStates();

  /**
   * @param options.evaluate Evaluates a `where` condition; without it, every `where` is rejected as
   * untranslatable.
   */
  constructor(options: { evaluate?: EvaluateCondition } = {}) {
    const { tables } = this;
    this.writer = new MemoryWriter(tables);
    this.reader = new MemoryReader(tables, options.evaluate);
    this.eraser = new MemoryEventRemover(tables);
    this.scrub = new MemoryScrubReader(tables);
  }

  async migrate(): Promise<void> {}

  async ping(): Promise<undefined> {}

  /** Returns empty lists: the in-memory store has neither disks nor tables. */
  async usage(): Promise<StoreUsage> {
    return { disks: [], tables: [], damageErrors: [] };
  }

  async close(): Promise<void> {}
}
