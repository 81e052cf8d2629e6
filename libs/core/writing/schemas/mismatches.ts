import type { Definitions, SchemaEnforcementMode } from '#registry';
import { schemaMismatches } from '../write-metrics.js';

const modes = ['enforce', 'warn'] as const satisfies SchemaEnforcementMode[];

/**
 * Exports the number of events that did not match their schema as a metric, by stream and schema mode. The counter
 * removes the metrics of a deleted stream.
 */
export class SchemaMismatchCounter {
  private readonly streams = new Set<string>();

  constructor(private readonly definitions: Pick<Definitions, 'stream' | 'onChange'>) {
    definitions.onChange(() => this.forgetGone());
  }

  count({ stream, mode }: { stream: string; mode: SchemaEnforcementMode }): void {
    this.streams.add(stream);
    schemaMismatches.inc({ stream, mode });
  }

  private forgetGone(): void {
    for (const stream of this.streams) {
      if (this.definitions.stream(stream)) continue;
      this.streams.delete(stream);
      for (const mode of modes) schemaMismatches.remove({ stream, mode });
    }
  }
}
