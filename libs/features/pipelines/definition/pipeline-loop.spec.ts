import { describe, expect, it } from 'vitest';
import type { OperatorJson } from '#features/pipelines/computation';
import { pipelineLoop, pipelineWrites, type LoopCandidate } from './pipeline-loop.js';

const emit = (stream: string): OperatorJson => ({ emit: { stream } });

const pipeline = (name: string, streams: string[], targets: string[]): LoopCandidate => ({
  name,
  spec: { source: { streams }, operators: targets.map(emit), from: 'beginning' },
});

const wayOf = (of: LoopCandidate, all: LoopCandidate[] = []) =>
  pipelineLoop(of, all)?.map(({ from, pipeline, to }) => `${from} ${pipeline} ${to}`);

describe('the streams that a pipeline writes to', () => {
  it('are those of every emit, also in branches, and those for late events', () => {
    const operators: OperatorJson[] = [
      emit('all'),
      { filter: 'true' },
      {
        branch: [
          {
            when: 'true',
            operators: [emit('large'), { branch: [{ otherwise: true, operators: [emit('deep')] }] }],
          },
          {
            otherwise: true,
            operators: [
              { window: { tumbling: '1m', key: 'event.type', lateness: '0s', late: { stream: 'late' } } },
              { reduce: { n: { op: 'count' } } },
              emit('minutes'),
              emit('all'),
            ],
          },
        ],
      },
    ];
    expect([...pipelineWrites({ operators })]).toEqual(['all', 'large', 'deep', 'late', 'minutes']);
  });
});

describe('a loop', () => {
  it('is a pipeline that writes to a stream that it reads', () => {
    expect(wayOf(pipeline('p', ['a', 'b'], ['c', 'b']))).toEqual(['b p b']);
  });

  it('may contain any number of pipelines, and is returned with its shortest path', () => {
    const all = [
      pipeline('q', ['b'], ['c', 'd']),
      pipeline('r', ['c'], ['e']),
      pipeline('s', ['e', 'x'], ['a']),
      pipeline('t', ['d'], ['a']),
    ];
    expect(wayOf(pipeline('p', ['z', 'a'], ['b']), all)).toEqual(['a p b', 'b q d', 'd t a']);
  });

  it('does not exist where paths fork and join again', () => {
    const all = [pipeline('q', ['b'], ['d']), pipeline('r', ['c'], ['d']), pipeline('s', ['d'], ['e'])];
    expect(wayOf(pipeline('p', ['a'], ['b', 'c']), all)).toBeUndefined();
  });

  it('ignores the replaced definition, and a loop of other pipelines', () => {
    const others = [pipeline('q', ['b'], ['c']), pipeline('r', ['c'], ['b'])];
    expect(wayOf(pipeline('p', ['a'], ['b']), [pipeline('p', ['a'], ['a']), ...others])).toBeUndefined();
  });

  it('is found among the maximum number of pipelines', () => {
    const all = Array.from({ length: 199 }, (_, i) =>
      pipeline(`q${i}`, [`s${i}`], [`s${i + 1}`, `s${i + 2}`]),
    );
    expect(wayOf(pipeline('p', ['s200'], ['s0']), all)).toHaveLength(101);
    expect(wayOf(pipeline('p', ['s202'], ['s0']), all)).toBeUndefined();
  });
});
