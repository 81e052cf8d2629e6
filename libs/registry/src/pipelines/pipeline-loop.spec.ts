import { describe, expect, it } from 'vitest';
import type { OperatorSpec } from '#dataflow';
import { pipelineLoop, pipelineWrites, type PipelineWay } from './pipeline-loop.js';

const emit = (stream: string): OperatorSpec => ({ emit: { stream } });

const pipeline = (name: string, streams: string[], targets: string[]): PipelineWay => ({
  name,
  spec: { source: { streams }, operators: targets.map(emit), from: 'beginning' },
});

const wayOf = (of: PipelineWay, all: PipelineWay[] = []) =>
  pipelineLoop(of, all)?.map(({ from, pipeline, to }) => `${from} ${pipeline} ${to}`);

describe('the streams that a pipeline writes to', () => {
  it('are those of every emit, in branches too, and those for what is late', () => {
    const operators: OperatorSpec[] = [
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
  it('is a pipeline that writes to what it reads', () => {
    expect(wayOf(pipeline('p', ['a', 'b'], ['c', 'b']))).toEqual(['b p b']);
  });

  it('goes over as many pipelines as there are, and is told by its shortest way', () => {
    const all = [
      pipeline('q', ['b'], ['c', 'd']),
      pipeline('r', ['c'], ['e']),
      pipeline('s', ['e', 'x'], ['a']),
      pipeline('t', ['d'], ['a']),
    ];
    expect(wayOf(pipeline('p', ['z', 'a'], ['b']), all)).toEqual(['a p b', 'b q d', 'd t a']);
  });

  it('is none where ways part and meet again', () => {
    const all = [pipeline('q', ['b'], ['d']), pipeline('r', ['c'], ['d']), pipeline('s', ['d'], ['e'])];
    expect(wayOf(pipeline('p', ['a'], ['b', 'c']), all)).toBeUndefined();
  });

  it('is not made of the definition that is replaced, nor of a loop that others make', () => {
    const others = [pipeline('q', ['b'], ['c']), pipeline('r', ['c'], ['b'])];
    expect(wayOf(pipeline('p', ['a'], ['b']), [pipeline('p', ['a'], ['a']), ...others])).toBeUndefined();
  });

  it('is found among as many pipelines as there may be', () => {
    const all = Array.from({ length: 199 }, (_, i) =>
      pipeline(`q${i}`, [`s${i}`], [`s${i + 1}`, `s${i + 2}`]),
    );
    expect(wayOf(pipeline('p', ['s200'], ['s0']), all)).toHaveLength(101);
    expect(wayOf(pipeline('p', ['s202'], ['s0']), all)).toBeUndefined();
  });
});
