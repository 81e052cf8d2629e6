import type { ConsumerRecord } from '#kafka';
import { readKey, type DefinitionRecordKey } from './resources/definition-change-record.js';
import { UnreadableDefinitionError, type ResourceRules } from './resources/resource-kind.js';
import { ResourceView } from './resources/resource-view.js';

import { streamRules, type StreamDefinition } from './streams/stream-definition.js';

/** The materialized view of the definitions topic. Each kind of definition has a view of its own with its rules. */
export class DefinitionsView {
  private readonly views: ReadonlyMap<string, ResourceView<unknown>>;
  /** Number of records that could not be read. */
  unreadable = 0;

  /** @param kinds the rules of all other kinds */
  constructor(kinds: readonly ResourceRules[]) {
    const all: ResourceRules[] = [streamRules, ...kinds];
    this.views = new Map(all.map((rules) => [rules.kind, new ResourceView(rules)]));
  }

  get streams(): ResourceView<StreamDefinition> {
    return this.of(streamRules);
  }

  /** Returns the view of a kind of definition. */
  of<T, P>({ kind }: ResourceRules<T, P>): ResourceView<T, P> {
    return this.views.get(kind) as ResourceView<T, P>;
  }

  /**
   * Applies a record of the definitions topic to the view. Returns true if the record has changed a definition, other
   * than a stream that is being created. Records that cannot be read are counted and skipped; definition kinds that
   * this process does not know are ignored.
   */
  apply(record: ConsumerRecord): boolean {
    try {
      const key = readKey(record.key);
      const changed = this.views.get(key.kind)?.apply(record, key) ?? false;
      return changed && !this.isStreamInCreation(key);
    } catch (error) {
      if (!(error instanceof UnreadableDefinitionError)) throw error;
      this.unreadable++;
      return false;
    }
  }

  private isStreamInCreation({ kind, identity }: DefinitionRecordKey): boolean {
    return kind === streamRules.kind && this.streams.current(identity).value?.state === 'creating';
  }
}
