import type { Definitions, SchemaEnforcementMode } from '#registry';
import { counter } from '#telemetry';

export const schemaMismatches = counter('tributary_schema_mismatches_total', {
  help: 'Events that do not match the schema of their type, by stream and mode: enforce (rejected) or warn (stored anyway).',
  labelNames: ['stream', 'mode'],
});

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
