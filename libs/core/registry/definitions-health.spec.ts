import { pipelineKind } from '#features/pipelines/definition';
import { projectionKind } from '#features/projections/definition';
import { subscriptionKind } from '#features/subscriptions/definition';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { TopicAndGroupNames } from '#event';
import { MemoryLog } from '#kafka/memory';
import { definitionsAge, definitionsHealth, DefinitionsOutdatedError } from './definitions-health.js';
import { resourceKinds } from './resource-kinds.js';
import { openDefinitions } from './definitions.js';

describe('definitionsHealth', () => {
  it('is degraded by failed projections and pipelines, and by definitions that it cannot read', () => {
    const of = (unreadable: number, projections: number, pipelines: number) => {
      const failed = () => ({ projections, pipelines });
      return definitionsHealth({ unreadable, failure: undefined, streams: () => [], failed });
    };
    const none = { status: 'ok', streams: 0, unreadable: 0, failed_projections: 0, failed_pipelines: 0 };
    const degraded = { ...none, status: 'degraded' };
    expect(of(0, 0, 0)).toEqual(none);
    expect(of(1, 0, 0)).toEqual({ ...degraded, unreadable: 1 });
    expect(of(0, 1, 0)).toEqual({ ...degraded, failed_projections: 1 });
    expect(of(0, 1, 2)).toEqual({
      ...degraded,
      ...{ failed_projections: 1, failed_pipelines: 2 },
    });
  });
});

describe('the age of the definitions', () => {
  it('grows only while the log does not answer', async () => {
    const log = new MemoryLog();
    const definitions = openDefinitions({
      log,
      names: new TopicAndGroupNames('t.'),
      defaults: { partitions: 1 },
      kinds: [...resourceKinds, projectionKind, pipelineKind, subscriptionKind],
    });
    expect(definitions.ageMs).toBe(Infinity);
    await definitions.start();
    await sleep(60);
    expect(definitions.ageMs).toBeLessThan(50);
    log.down = true;
    await sleep(60);
    expect(definitions.ageMs).toBeGreaterThan(50);
    log.down = false;
    expect(definitions.ageMs).toBeLessThan(50);
    await definitions.close();
  });

  it('fails the check past 30 seconds', () => {
    expect(definitionsAge({ ageMs: 30_000 })).toEqual({ age_seconds: 30 });
    expect(() => definitionsAge({ ageMs: 30_001 })).toThrow(DefinitionsOutdatedError);
  });
});
