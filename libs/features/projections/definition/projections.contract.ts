import { describe, expect, it } from 'vitest';
import { limits, type EventRecord } from '#event';
import type { ProjectionDefinition } from './projection-definition.js';
import { aGeneration, ada, aProjection } from '../../../core/registry/contract/definition-examples.js';
import type { DefinitionsTestProcesses } from '../../../core/registry/contract/definitions-test-processes.js';

const dataOf = ({ data }: EventRecord) => JSON.parse(data) as Record<string, unknown>;

/** The contract of projections: their storage, and the audit events of their changes. */
export function describeProjections(given: DefinitionsTestProcesses): void {
  describe('a projection', () => {
    it('is the same in every process', async () => {
      const names = given.names();
      const [one, two] = await given.two(names);
      const { spec, ...build } = aGeneration('b', { version: 2 });
      const bare = { source: { streams: ['orders'] }, fields: spec.fields, from: 'beginning' } as const;
      const sources = { orders: { id: 'orders#1' as const } };
      const building = { ...build, spec: bare, sources };
      const written = aProjection({
        version: 2,
        serving: aGeneration('a'),
        building,
        failure: 'why',
        paused: true,
      });
      await one.projections.change('revenue', () => written, ada);
      await expect.poll(() => two.projections.get('revenue')).toEqual(written);
      expect((await given.started(names)).projections.all()).toEqual([written]);
    });

    it('is rejected above the size limit of a definition', async () => {
      const { projections } = await given.started(given.names());
      const where = 'x'.repeat(limits.definitionBytes);
      const { spec, ...build } = aGeneration('a');
      const large = { ...build, spec: { ...spec, source: { ...spec.source, where } } };
      const change = projections.change('revenue', () => aProjection({ building: large }), ada);
      await expect(change).rejects.toMatchObject({ code: 'payload_too_large' });
    });

    it('is switched by exactly one of several processes to a generation that has caught up', async () => {
      const [one, two] = await given.two();
      await one.projections.change('revenue', () => aProjection(), ada);
      await expect.poll(() => two.projections.size).toBe(1);
      const takeOver = (current: ProjectionDefinition | undefined) =>
        current?.building ? { ...current, serving: current.building, building: null } : current;
      const both = [one, two].map(({ projections }) => projections.change('revenue', takeOver, ada));
      const changed = (await Promise.all(both)).map((outcome) => outcome.changed);
      expect(changed.sort()).toEqual([false, true]);
    });
  });

  describe('the audit of a projection', () => {
    it('has an event type for each kind of change', async () => {
      const names = given.names();
      const { projections } = await given.started(names);
      const [first, second, third] = [aGeneration('a'), aGeneration('b'), aGeneration('c', { version: 2 })];
      const serving = { serving: first, building: null };
      const changes: Partial<ProjectionDefinition>[] = [
        {},
        serving,
        { ...serving, paused: true },
        serving,
        { ...serving, building: second },
        { ...serving, building: second, failure: 'it cannot go on' },
        { ...serving, building: third, version: 2 },
        { serving: third, building: null, version: 2 },
      ];
      for (const more of changes) await projections.change('revenue', () => aProjection(more), ada);
      await projections.change('revenue', () => undefined, ada);
      const [, ...events] = await given.audited(names);
      expect(events.map(({ event_type }) => event_type.replace('projection.', ''))).toEqual([
        ...['created', 'switched', 'paused', 'resumed', 'reset', 'failed', 'changed', 'switched', 'deleted'],
      ]);
      expect(events.every(({ entity_id }) => entity_id === 'projection:revenue')).toBe(true);
    });

    it('shows its spec and the ids of its generations', async () => {
      const names = given.names();
      const { projections } = await given.started(names);
      await projections.change('revenue', () => aProjection(), ada);
      const [, created] = await given.audited(names);
      const { spec, id, version, started_at } = aGeneration('a');
      const { building, ...shown } = { ...aProjection(), spec };
      expect(building?.id).toBe(id);
      expect(dataOf(created as EventRecord)).toMatchObject({ before: null });
      expect(dataOf(created as EventRecord)['after']).toEqual({
        ...shown,
        building: { id, version, started_at },
      });
    });
  });
}
