import { describe, expect, it } from 'vitest';
import type { PipelineDefinition } from '#registry';
import { JobSelection } from './desired-jobs.js';

const definition = (
  name: string,
  [from, to]: [string, string],
  more: Partial<PipelineDefinition> = {},
): PipelineDefinition => ({
  ...{ name, version: 1, created_at: '2026-11-21T04:00:00Z', paused: false, failure: null },
  spec: { source: { streams: [from] }, operators: [{ emit: { stream: to } }], from: 'beginning' },
  run: { id: `run-${name}`, started_at: '2026-11-21T04:00:00Z', sources: {} },
  ...more,
});
const later = (name: string) => ({
  run: { id: `run-${name}`, started_at: '2026-11-21T05:00:00Z', sources: {} },
});

function selected(...all: PipelineDefinition[]) {
  const pipelines = { all: () => all } as never;
  const webhooks = { missingConfiguration: () => undefined };
  const { desired, invalid } = new JobSelection({ pipelines, stream: () => undefined }, webhooks).now();
  return { desired: desired.map((one) => one.definition.name), invalid: Object.fromEntries(invalid) };
}

describe('of pipelines that feed each other', () => {
  it('the one whose run began last is not run, whatever the order of the definitions, and is told why', () => {
    const all = [
      definition('p', ['a', 'b']),
      definition('q', ['b', 'c'], later('q')),
      definition('r', ['c', 'a']),
    ];
    const reason =
      'It would feed itself: what it writes to c comes back over 2 other pipelines in b, which it reads. Change it.';
    for (const order of [all, all.toReversed()]) {
      const { desired, invalid } = selected(...order);
      expect(desired.sort()).toEqual(['p', 'r']);
      expect(invalid).toEqual({ 'run-q': reason });
    }
  });

  it('all are run while one is paused, or has failed', () => {
    const q = definition('q', ['b', 'a'], later('q'));
    for (const stopped of [{ paused: true }, { failure: 'lost' }])
      expect(selected(definition('p', ['a', 'b'], stopped), q)).toEqual({ desired: ['q'], invalid: {} });
  });

  it('one that feeds itself alone is not run', () => {
    const { desired, invalid } = selected(definition('p', ['a', 'a']), definition('q', ['a', 'b']));
    expect(desired).toEqual(['q']);
    expect(Object.values(invalid)[0]).toBe(
      'It would feed itself: what it writes to a comes back in a, which it reads. Change it.',
    );
  });
});

describe('a pipeline whose source was deleted', () => {
  /** The incarnations of the streams. */
  const [before, after] = ['1', '2'];
  const reading = (...streams: string[]) => {
    const sources = Object.fromEntries(streams.map((name) => [name, { id: `${name}#${before}` as const }]));
    const one = definition('p', ['a', 'out']);
    return { ...one, spec: { ...one.spec, source: { streams: ['a', 'b'] } }, run: { ...one.run, sources } };
  };
  const select = (one: PipelineDefinition, live: Record<string, string>) => {
    const stream = (name: string) =>
      live[name] === undefined
        ? undefined
        : ({ stream: name, state: 'live', id: `${name}#${live[name]}`, partitions: 2 } as never);
    const definitions = { pipelines: { all: () => [one] } as never, stream };
    const { desired, invalid } = new JobSelection(definitions, {
      missingConfiguration: () => undefined,
    }).now();
    return {
      sources: desired.map(({ sources }) => [...sources.keys()]),
      invalid: Object.fromEntries(invalid),
    };
  };

  it('goes on with the others', () => {
    expect(select(reading('a', 'b'), { b: before })).toEqual({ sources: [['b']], invalid: {} });
  });

  it('and made anew stands, and says so', () => {
    const reason =
      'The stream a was deleted and created again. Reset the pipeline to read it, or take it out.';
    expect(select(reading('a', 'b'), { a: after, b: before })).toEqual({
      sources: [],
      invalid: { 'run-p': reason },
    });
  });

  it('and made anew after it was taken out goes on', () => {
    const one = { ...reading('a', 'b'), spec: { ...definition('p', ['b', 'out']).spec } };
    expect(select(one, { a: after, b: before }).invalid).toEqual({});
  });
});
