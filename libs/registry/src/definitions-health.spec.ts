import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { TopicAndGroupNames } from '#event';
import { MemoryLog } from '#kafka/memory';
import {
  definitionsAge,
  definitionsHealth,
  DefinitionsOutdatedError,
  type DefinitionsHealthInput,
} from './definitions-health.js';
import { openDefinitions } from './open-definitions.js';

describe('definitionsHealth', () => {
  it('is degraded by failed projections and pipelines, and by definitions that it cannot read', () => {
    const kind = (...failures: (string | null)[]) => ({
      all: () => failures.map((failure) => ({ failure })),
    });
    const of = (unreadable: number, projections: object, pipelines: object) => {
      const definitions = { unreadable, failure: undefined, streams: () => [], projections, pipelines };
      return definitionsHealth(definitions as unknown as DefinitionsHealthInput);
    };
    const none = { status: 'ok', streams: 0, unreadable: 0, failed_projections: 0, failed_pipelines: 0 };
    const degraded = { ...none, status: 'degraded' };
    expect(of(0, kind(null), kind(null))).toEqual(none);
    expect(of(1, kind(), kind())).toEqual({ ...degraded, unreadable: 1 });
    expect(of(0, kind('why'), kind())).toEqual({ ...degraded, failed_projections: 1 });
    expect(of(0, kind(null, 'why'), kind('why', null, 'why'))).toEqual({
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
