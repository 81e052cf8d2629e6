import { describe, expect, it } from 'vitest';
import { limits, type EventRecord } from '#event';
import type { PipelineDefinition } from './pipeline-definition.js';
import { ada, aPipeline, someTime } from '../../../core/registry/contract/definition-examples.js';
import type { DefinitionsTestProcesses } from '../../../core/registry/contract/definitions-test-processes.js';

const dataOf = ({ data }: EventRecord) => JSON.parse(data) as Record<string, unknown>;

/** The contract of pipelines: their storage, and the audit events of their changes. */
export function describePipelines(given: DefinitionsTestProcesses): void {
  describe('a pipeline', () => {
    it('is the same in every process', async () => {
      const names = given.names();
      const [one, two] = await given.two(names);
      const written = aPipeline({ version: 2, failure: 'why', paused: true });
      await one.pipelines.change('big', () => written, ada);
      await expect.poll(() => two.pipelines.get('big')).toEqual(written);
      expect((await given.started(names)).pipelines.all()).toEqual([written]);
    });

    it('is rejected above the size limit of a definition', async () => {
      const { pipelines } = await given.started(given.names());
      const operators = [{ filter: 'x'.repeat(limits.definitionBytes) }];
      const large = aPipeline({ spec: { ...aPipeline().spec, operators } });
      const change = pipelines.change('big', () => large, ada);
      await expect(change).rejects.toMatchObject({ code: 'payload_too_large' });
    });
  });

  describe('the audit of a pipeline', () => {
    it('has an event type for each kind of change', async () => {
      const names = given.names();
      const { pipelines } = await given.started(names);
      const run = { ...aPipeline().run, id: 'b'.repeat(24) };
      const changes: Partial<PipelineDefinition>[] = [
        {},
        { paused: true },
        {},
        { failure: 'it cannot go on' },
        {},
        { run },
        { run, version: 2 },
        { version: 3 },
      ];
      for (const more of changes) await pipelines.change('big', () => aPipeline(more), ada);
      await pipelines.change('big', () => undefined, ada);
      const [, ...events] = await given.audited(names);
      expect(events.map(({ event_type }) => event_type.replace('pipeline.', ''))).toEqual([
        ...['created', 'paused', 'resumed', 'failed', 'resumed', 'reset', 'changed'],
        ...['changed', 'deleted'],
      ]);
      expect(events.every(({ entity_id }) => entity_id === 'pipeline:big')).toBe(true);
    });

    it('shows its spec and the id of its job', async () => {
      const names = given.names();
      const { pipelines } = await given.started(names);
      await pipelines.change('big', () => aPipeline(), ada);
      const [, created] = await given.audited(names);
      const { run, ...shown } = aPipeline();
      expect(dataOf(created as EventRecord)).toMatchObject({ before: null });
      expect(dataOf(created as EventRecord)['after']).toEqual({
        ...shown,
        run: { id: run.id, started_at: someTime },
      });
    });
  });
}
