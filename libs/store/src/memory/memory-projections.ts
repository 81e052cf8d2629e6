import { compareUtf8 } from '#event';
import { assertKeysBounded, groupByKey } from '../projection-keys.js';
import type {
  BuildPartition,
  ChangedKeysQuery,
  ProjectionKey,
  ProjectionKeysQuery,
  ProjectionProgress,
  ProjectionReader,
  ProjectionStateRow,
  ProjectionWriter,
} from '../projection-store.js';
import { compareKeys } from './memory-order.js';

export class MemoryProjections implements ProjectionWriter, ProjectionReader {
  private readonly states = new Map<string, ProjectionStateRow>();
  private readonly ends = new Map<string, ProjectionProgress>();

  async save(rows: readonly ProjectionStateRow[], progress: readonly ProjectionProgress[]): Promise<void> {
    for (const row of rows) {
      const identity = identityOf(row, row.key);
      const known = this.states.get(identity);
      if (!known || known.last_offset <= row.last_offset) this.states.set(identity, { ...row });
    }
    for (const end of progress) {
      const known = this.ends.get(identityOf(end));
      if (!known || known.next <= end.next) this.ends.set(identityOf(end), { ...end });
    }
  }

  async load(place: BuildPartition, keys: readonly string[]): Promise<ProjectionStateRow[]> {
    assertKeysBounded(keys);
    return [...new Set(keys)].flatMap((key) => {
      const row = this.states.get(identityOf(place, key));
      return row ? [{ ...row }] : [];
    });
  }

  async progressOf(place: BuildPartition): Promise<ProjectionProgress | undefined> {
    const end = this.ends.get(identityOf(place));
    return end && { ...end };
  }

  async removeBuild(build: string): Promise<void> {
    for (const [identity, row] of this.states) if (row.build === build) this.states.delete(identity);
    for (const [identity, end] of this.ends) if (end.build === build) this.ends.delete(identity);
  }

  async builds(): Promise<string[]> {
    const rows = [...this.states.values(), ...this.ends.values()];
    return [...new Set(rows.map(({ build }) => build))].sort(compareUtf8);
  }

  async key(build: string, key: string): Promise<ProjectionKey | undefined> {
    return this.keysOf(build).find((found) => found.key === key);
  }

  async find(build: string, keys: readonly string[]): Promise<ProjectionKey[]> {
    assertKeysBounded(keys);
    return this.keysOf(build).filter(({ key }) => keys.includes(key));
  }

  async keys({ build, limit, after, prefix }: ProjectionKeysQuery): Promise<ProjectionKey[]> {
    return this.keysOf(build, prefix)
      .filter(({ key }) => after === undefined || compareUtf8(key, after) > 0)
      .slice(0, limit);
  }

  async changedKeys({ build, since, limit, after }: ChangedKeysQuery): Promise<ProjectionKey[]> {
    const isChanged = (row: ProjectionStateRow) =>
      since.some(
        ({ stream, partition, offset }) =>
          row.stream === stream && row.partition === partition && row.last_offset >= offset,
      );
    return this.keysOf(build)
      .filter(
        ({ key, parts }) => parts.some(isChanged) && (after === undefined || compareUtf8(key, after) > 0),
      )
      .slice(0, limit);
  }

  async countKeys({ build, prefix }: Pick<ProjectionKeysQuery, 'build' | 'prefix'>): Promise<number> {
    return this.keysOf(build, prefix).length;
  }

  async progress(builds: readonly string[]): Promise<ProjectionProgress[]> {
    const order = ({ build, stream, partition }: BuildPartition) => [build, stream, partition];
    return [...this.ends.values()]
      .filter(({ build }) => builds.includes(build))
      .sort((a, b) => compareKeys(order(a), order(b)))
      .map((end) => ({ ...end }));
  }

  private keysOf(build: string, prefix = ''): ProjectionKey[] {
    const order = ({ key, stream, partition }: ProjectionStateRow) => [key, stream, partition];
    const rows = [...this.states.values()]
      .filter((row) => row.build === build && row.key.startsWith(prefix))
      .sort((a, b) => compareKeys(order(a), order(b)));
    return groupByKey(rows.map((row) => ({ ...row })));
  }
}

function identityOf({ build, stream, partition }: BuildPartition, key?: string): string {
  return JSON.stringify([build, stream, partition, key]);
}
