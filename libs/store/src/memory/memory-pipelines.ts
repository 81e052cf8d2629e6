import { compareUtf8 } from '#event';
import { assertRowsBounded } from '../pipeline-rows.js';
import type {
  ClosedRows,
  DueQuery,
  PipelineProgress,
  PipelineReader,
  PipelineRow,
  PipelineWriter,
  StagePartition,
} from '../pipeline-store.js';
import { compareKeys } from './memory-order.js';

export class MemoryPipelines implements PipelineWriter, PipelineReader {
  private readonly rows = new Map<string, PipelineRow>();
  private readonly ends = new Map<string, PipelineProgress>();

  async save(rows: readonly PipelineRow[], progress: readonly PipelineProgress[]): Promise<void> {
    for (const row of rows) {
      const known = this.rows.get(identityOf(row, row.name));
      if (!known || known.position <= row.position) this.rows.set(identityOf(row, row.name), { ...row });
    }
    for (const end of progress) {
      const known = this.ends.get(identityOf(end));
      if (!known || known.next <= end.next) this.ends.set(identityOf(end), { ...end });
    }
  }

  async load(place: StagePartition, names: readonly string[]): Promise<PipelineRow[]> {
    assertRowsBounded(names);
    return [...new Set(names)].flatMap((name) => {
      const row = this.rows.get(identityOf(place, name));
      return row ? [{ ...row }] : [];
    });
  }

  async due(place: StagePartition, { until, after, limit }: DueQuery): Promise<PipelineRow[]> {
    const order = ({ closes_at, name }: { closes_at: number; name: string }) => [closes_at, name];
    return [...this.rows.values()]
      .filter((row) => identityOf(row) === identityOf(place) && row.closes_at <= until)
      .filter((row) => !after || compareKeys(order(row), order(after)) > 0)
      .sort((a, b) => compareKeys(order(a), order(b)))
      .slice(0, limit)
      .map((row) => ({ ...row }));
  }

  async progressOf(place: StagePartition): Promise<PipelineProgress | undefined> {
    const end = this.ends.get(identityOf(place));
    return end && { ...end };
  }

  async removeClosed(run: string, closed: readonly ClosedRows[]): Promise<void> {
    this.removeRows((row) =>
      closed.some(
        ({ stage, partition, until }) =>
          row.run === run && row.stage === stage && row.partition === partition && row.closes_at <= until,
      ),
    );
  }

  async removeStages(run: string, stages: readonly string[]): Promise<void> {
    this.removeAll((place) => place.run === run && stages.includes(place.stage));
  }

  async removeRun(run: string): Promise<void> {
    this.removeAll((place) => place.run === run);
  }

  async runs(): Promise<string[]> {
    const all = [...this.rows.values(), ...this.ends.values()];
    return [...new Set(all.map(({ run }) => run))].sort(compareUtf8);
  }

  async progress(runs: readonly string[]): Promise<PipelineProgress[]> {
    const order = ({ run, stage, stream, partition }: StagePartition) => [run, stage, stream, partition];
    return [...this.ends.values()]
      .filter(({ run }) => runs.includes(run))
      .sort((a, b) => compareKeys(order(a), order(b)))
      .map((end) => ({ ...end }));
  }

  private removeAll(isOne: (place: StagePartition) => boolean): void {
    this.removeRows(isOne);
    for (const [identity, end] of this.ends) if (isOne(end)) this.ends.delete(identity);
  }

  private removeRows(isOne: (row: PipelineRow) => boolean): void {
    for (const [identity, row] of this.rows) if (isOne(row)) this.rows.delete(identity);
  }
}

function identityOf({ run, stage, stream, partition }: StagePartition, name?: string): string {
  return JSON.stringify([run, stage, stream, partition, name]);
}
