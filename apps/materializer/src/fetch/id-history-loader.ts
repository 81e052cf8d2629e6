import { farReach, sliceMs } from '#dataflow';
import type { StalledConsumerDetector } from '#engine';
import type { NewlyAssignedPartition } from '#kafka';
import { maxIdOffsets } from '#store';
import type { Logger } from '#telemetry';
import type { MaterializedPartition } from '../partition/materialized-partition.js';
import type { MaterializerDependencies, MaterializerStore } from '../partition/materializer-dependencies.js';

interface IdHistoryLoaderDependencies extends Pick<
  MaterializerDependencies,
  'retry' | 'far' | 'window' | 'now'
> {
  writer: Pick<MaterializerStore, 'idsIn'>;
  progress: Pick<StalledConsumerDetector, 'attempted'>;
  logger: Pick<Logger, 'info'>;
}

/** The partition whose history is loaded. */
type LoadedPartition = Pick<
  MaterializedPartition,
  'stream' | 'partition' | 'assignment' | 'history' | 'ended'
>;

/** Factor by which the memory is larger than the loaded ids need. */
const headroom = 1.1;

/** A slice of the history: the offset at which it begins, and a log time that no record from there on is before. */
interface SliceStart {
  offset: number;
  since: number;
}

/**
 * Loads the history of a partition that is assigned while it is busy: the ids of the events that have left the id window
 * and are stored. Histories are loaded one after the other, each in answers of bounded size.
 */
export class IdHistoryLoader {
  private loading: Promise<unknown> = Promise.resolve();

  constructor(private readonly dependencies: IdHistoryLoaderDependencies) {}

  /**
   * Resolves when the history has every id that a record from the assignment's position on can repeat. Resolves with the
   * offset below which all records are too old for that.
   * @throws the signal's reason
   */
  async load(partition: LoadedPartition): Promise<number> {
    const { assignment, ended } = partition;
    const { far, window, retry } = this.dependencies;
    const until = assignment.position - window.records;
    if (far.milliseconds === 0 || until <= 0) return 0;
    const times = await retry.run('log', ended, () => this.timesOf(assignment));
    const oldest = await retry.run('log', ended, () => assignment.offsetAt(times[0]!));
    // The log does not say how old the records were that retention has removed.
    const floor = oldest > assignment.beginning ? oldest : 0;
    if (oldest >= until) return floor;
    const loading = this.loading.then(async () => {
      const starts = await retry.run('log', ended, () => startsAt(assignment, times));
      await this.fill(partition, starts, until);
    });
    this.loading = loading.catch(() => undefined);
    await loading;
    return floor;
  }

  /** Returns the times at which the slices begin that records from the position on can repeat, the oldest first. */
  private async timesOf(assignment: NewlyAssignedPartition): Promise<number[]> {
    const { far, now } = this.dependencies;
    const step = sliceMs(far);
    const known = await assignment.timestampAtPosition();
    const newest = known ?? now();
    // The next record can be stamped by a clock that is behind this one.
    const oldest = newest - farReach(far) - (known === undefined ? step : 0);
    const times: number[] = [];
    for (let time = oldest; time <= newest; time += step) times.push(Math.max(0, time));
    return times;
  }

  private async fill(
    partition: LoadedPartition,
    starts: readonly SliceStart[],
    until: number,
  ): Promise<void> {
    const { history } = partition;
    const first = starts.findIndex(({ offset }) => until - offset <= history.room);
    const kept = first < 0 ? [] : starts.slice(first);
    if (first !== 0)
      history.lacksBefore(kept[0]?.since ?? starts.at(-1)!.since + sliceMs(this.dependencies.far));
    const { stream, partition: number } = partition;
    const records = until - (kept[0]?.offset ?? until);
    this.dependencies.logger.info(
      { stream, partition: number, records },
      'the partition is busy: its last event ids are loaded from the store before it is read',
    );
    history.reserve(records * headroom);
    for (let i = 0; i < kept.length && kept[i]!.offset < until; i++) {
      const end = Math.min(kept[i + 1]?.offset ?? until, until);
      if (kept[i]!.offset >= end) continue;
      history.begin(kept[i]!.offset, kept[i]!.since);
      await this.fillSlice(partition, { ...kept[i]!, until: end, needed: records });
    }
  }

  private async fillSlice(
    { stream, partition, history, ended }: LoadedPartition,
    { offset, since, until, needed }: SliceStart & { until: number; needed: number },
  ): Promise<void> {
    const { writer, retry, progress } = this.dependencies;
    for (let from = offset; from < until; from += maxIdOffsets) {
      const range = { stream, partition, from, until: Math.min(from + maxIdOffsets, until) };
      const ids = await retry.run('store', ended, () => writer.idsIn(range));
      for (let at = 0; at < ids.length; at += 4)
        history.put(ids, at, { offset: range.until - 1, logTime: since, needed });
      progress.attempted();
    }
  }
}

async function startsAt(assignment: NewlyAssignedPartition, times: readonly number[]): Promise<SliceStart[]> {
  const starts: SliceStart[] = [];
  for (const since of times) starts.push({ offset: await assignment.offsetAt(since), since });
  return starts;
}
