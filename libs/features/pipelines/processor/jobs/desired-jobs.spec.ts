import { describe, expect, it } from 'vitest';
import type { PipelineDefinition } from '#features/pipelines/definition';
import { DesiredJobSelector } from './desired-jobs.js';

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
  const { desired, invalid } = new DesiredJobSelector({ pipelines, stream: () => undefined }, webhooks).now();
  return { desired: desired.map((one) => one.definition.name), invalid: Object.fromEntries(invalid) };
}

describe('Given pipelines that feed each other', () => {
  it('the one whose job started last does not run, and has a reason, for any order of the definitions', () => {
    const all = [
      definition('p', ['a', 'b']),
      definition('q', ['b', 'c'], later('q')),
      definition('r', ['c', 'a']),
    ];
    const reason =
      'The pipeline would feed itself: its output to c returns through 2 other pipelines in b, which it reads. Change it.';
    for (const order of [all, all.toReversed()]) {
      const { desired, invalid } = selected(...order);
      expect(desired.sort()).toEqual(['p', 'r']);
      expect(invalid).toEqual({ 'run-q': reason });
    }
  });

  it('all others run while one is paused or has failed', () => {
    const q = definition('q', ['b', 'a'], later('q'));
    for (const stopped of [{ paused: true }, { failure: 'lost' }])
      expect(selected(definition('p', ['a', 'b'], stopped), q)).toEqual({ desired: ['q'], invalid: {} });
  });

  it('a pipeline that feeds itself does not run', () => {
    const { desired, invalid } = selected(definition('p', ['a', 'a']), definition('q', ['a', 'b']));
    expect(desired).toEqual(['q']);
    expect(Object.values(invalid)[0]).toBe(
      'The pipeline would feed itself: its output to a returns in a, which it reads. Change it.',
    );
  });
});

describe('A pipeline whose source was deleted', () => {
  /** Numbers in the id of a stream before and after the stream is recreated. */
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
    const { desired, invalid } = new DesiredJobSelector(definitions, {
      missingConfiguration: () => undefined,
    }).now();
    return {
      sources: desired.map(({ sources }) => [...sources.keys()]),
      invalid: Object.fromEntries(invalid),
    };
  };

  it('continues with the other sources', () => {
    expect(select(reading('a', 'b'), { b: before })).toEqual({ sources: [['b']], invalid: {} });
  });

  it('and recreated does not run, and has a reason', () => {
    const reason =
      'The stream a was deleted and created again. Reset the pipeline to read it, or remove it from the sources.';
    expect(select(reading('a', 'b'), { a: after, b: before })).toEqual({
      sources: [],
      invalid: { 'run-p': reason },
    });
  });

  it('and recreated continues if the source was removed from the definition before', () => {
    const one = { ...reading('a', 'b'), spec: { ...definition('p', ['b', 'out']).spec } };
    expect(select(one, { a: after, b: before }).invalid).toEqual({});
  });
});
