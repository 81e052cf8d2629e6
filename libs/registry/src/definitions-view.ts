import type { ConsumerRecord } from '#kafka';
import { readKey, type DefinitionRecordKey } from './resources/definition-change-record.js';
import { erasureRules } from './erasures/erasure-rules.js';
import { keyRules } from './keys/key-rules.js';
import { ResourceView } from './resources/resource-view.js';
import { UnreadableDefinitionError } from './resources/resource-rules.js';
import { pipelineRules } from './pipelines/pipeline-rules.js';
import { projectionRules } from './projections/projection-rules.js';
import { schemaRules } from './schemas/schema-rules.js';
import { streamRules } from './streams/stream-rules.js';

/**
 * The materialized view of the definitions topic. Each kind of definition, such as streams or keys, has a view of its
 * own with its own rules.
 */
export class DefinitionsView {
  readonly streams = new ResourceView(streamRules);
  readonly schemas = new ResourceView(schemaRules);
  readonly keys = new ResourceView(keyRules);
  readonly erasures = new ResourceView(erasureRules);
  readonly projections = new ResourceView(projectionRules);
  readonly pipelines = new ResourceView(pipelineRules);
  private readonly folds = new Map(
    [this.streams, this.schemas, this.keys, this.erasures, this.projections, this.pipelines].map((fold) => [
      fold.rules.kind,
      fold,
    ]),
  );
  private unreadableCount = 0;

  get unreadable(): number {
    return this.unreadableCount;
  }

  /**
   * Applies a record of the definitions topic to the view. Returns true if the record has changed a definition, other
   * than a stream that is being created. Records that cannot be read are counted and skipped; definition kinds that
   * this release does not know are ignored.
   */
  apply(record: ConsumerRecord): boolean {
    try {
      const key = readKey(record.key);
      const changed = this.folds.get(key.kind)?.apply(record, key) ?? false;
      return changed && !this.isCreating(key);
    } catch (error) {
      if (!(error instanceof UnreadableDefinitionError)) throw error;
      this.unreadableCount++;
      return false;
    }
  }
  private isCreating({ kind, identity }: DefinitionRecordKey): boolean {
    return kind === this.streams.rules.kind && this.streams.held(identity).value?.state === 'creating';
  }
}
