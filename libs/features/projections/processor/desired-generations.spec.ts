import { describe, expect, it } from 'vitest';
import type { ProjectionGeneration, ProjectionDefinition } from '#features/projections/definition';
import { revenue } from '../../../../apps/processor/src/processor.fixture.js';
import { DesiredGenerationSelector } from './desired-generations.js';

const [before, after] = ['00000000aa', '00000000bb'];

const generation = (id: string, sources: Record<string, string>): ProjectionGeneration => ({
  ...{ id, version: 1, started_at: '2026-11-01T00:00:00.000000Z' },
  spec: { ...revenue, source: { streams: Object.keys(sources) } },
  sources: Object.fromEntries(
    Object.entries(sources).map(([name, tag]) => [name, { id: `${name}#${tag}` as const }]),
  ),
});

/** Selects the desired generations of one projection, while these streams exist. */
function select(generations: Partial<ProjectionDefinition>, streams: Record<string, string>) {
  const projection = {
    name: 'p',
    paused: false,
    failure: null,
    serving: null,
    building: null,
    ...generations,
  };
  const stream = (name: string) =>
    streams[name] === undefined
      ? undefined
      : ({ stream: name, state: 'live', id: `${name}#${streams[name]}`, partitions: 1 } as never);
  const definitions = { projections: { all: () => [projection as never] } as never, stream };
  const { desired, invalid } = new DesiredGenerationSelector(definitions, 2).now();
  return {
    desired: desired.map(({ compiled, streams: read }) => [compiled.build.id, ...read]),
    invalid: Object.fromEntries(invalid),
  };
}

describe('given a projection of two streams', () => {
  const serving = generation('one', { a: before, b: before });

  it('when one is deleted, the other is still folded', () => {
    expect(select({ serving }, { b: before })).toEqual({ desired: [['one', 'b']], invalid: {} });
  });

  it('when one is deleted and created again, the projection fails: it would skip the events of the new stream', () => {
    const reason =
      'The stream a was deleted and created again. Reset the projection to fold it, or remove it from the sources.';
    expect(select({ serving }, { a: after, b: before })).toEqual({ desired: [], invalid: { one: reason } });
  });

  it('when it is reset after that, the former generation serves while the new one is built', () => {
    const building = generation('two', { a: after, b: before });
    expect(select({ serving, building }, { a: after, b: before })).toEqual({
      desired: [
        ['one', 'b'],
        ['two', 'a', 'b'],
      ],
      invalid: {},
    });
  });
});
