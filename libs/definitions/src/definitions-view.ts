import type { LogRecord } from '#log';
import { UnreadableDefinitionError, type DefinitionFold } from './fold.js';

/** Folds the records of the definitions topic, each by the fold of its kind. */
export class DefinitionsView {
  private readonly folds: Map<string, DefinitionFold>;
  private readonly listeners = new Set<() => void>();
  private unreadableCount = 0;

  constructor(folds: readonly DefinitionFold[]) {
    this.folds = new Map(folds.map((fold) => [fold.kind, fold]));
  }

  get unreadable(): number {
    return this.unreadableCount;
  }

  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Records that cannot be read are counted and skipped; kinds that a newer version has written are left alone. */
  apply(record: LogRecord): void {
    let changed = false;
    try {
      changed = this.fold(record);
    } catch (error) {
      if (!(error instanceof UnreadableDefinitionError)) throw error;
      this.unreadableCount++;
    }
    if (changed) for (const listener of [...this.listeners]) listener();
  }

  private fold({ key, value, offset }: LogRecord): boolean {
    const text = key?.toString() ?? '';
    const colon = text.indexOf(':');
    if (colon < 1) throw new UnreadableDefinitionError('the key is not kind:name');
    const fold = this.folds.get(text.slice(0, colon));
    if (!fold) return false;
    return fold.apply({ name: text.slice(colon + 1), value: parse(value), offset });
  }
}

function parse(value: Buffer | null): unknown {
  if (value === null) return undefined;
  try {
    return JSON.parse(value.toString()) as unknown;
  } catch {
    throw new UnreadableDefinitionError('the value is not JSON');
  }
}
