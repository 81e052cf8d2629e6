import { beforeEach, describe, expect, it } from 'vitest';
import { compilePipeline, type OperatorJson } from '#features/pipelines/computation';
import { OperatorMetrics, pipelineStepEvents } from './operator-metrics.js';

const stepsOf = (...operators: OperatorJson[]) =>
  compilePipeline({ source: { streams: ['orders'] }, operators, from: 'beginning' }).steps;

const filter = { filter: 'event.data.n > 1' };
const out = { emit: { stream: 'out' } };
const both = stepsOf(filter, out);
const counts = { '/operators/0/filter': [5, 3, 2, 0, 0], '/operators/1/emit': [3, 3, 0, 0, 0] };

let defined: string[];
let steps: OperatorMetrics;

beforeEach(() => {
  pipelineStepEvents.reset();
  defined = ['p', 'q'];
  steps = new OperatorMetrics((name) => defined.includes(name));
});

/** Returns the metric series of a pipeline, as texts such as `/operators/0 filter in 5`. */
async function seriesOf(pipeline: string): Promise<string[]> {
  const { values } = await pipelineStepEvents.get();
  return values
    .filter(({ labels }) => labels.pipeline === pipeline)
    .map(({ labels: { path, operator, result }, value }) => `${path} ${operator} ${result} ${value}`);
}

describe('the metrics of operators', () => {
  it('add up the counts of batches, without series for results that never occur', async () => {
    steps.count('p', both, counts);
    steps.count('p', both, counts);
    expect(await seriesOf('p')).toEqual([
      '/operators/0 filter in 10',
      '/operators/0 filter out 6',
      '/operators/0 filter dropped 4',
      '/operators/1 emit in 6',
      '/operators/1 emit out 6',
    ]);
  });

  it('have no series for the operators of a former definition, also if a batch of it ends later', async () => {
    steps.count('p', both, counts);
    const changed = stepsOf(filter, filter, out);
    steps.keep('p', changed);
    steps.count('p', changed, counts);
    expect(await seriesOf('p')).toEqual([
      '/operators/0 filter in 10',
      '/operators/0 filter out 6',
      '/operators/0 filter dropped 4',
    ]);
  });

  it('have no series for a deleted pipeline, also if a batch of it ends later', async () => {
    steps.count('p', both, counts);
    steps.count('q', both, counts);
    defined = ['q'];
    steps.remove('p');
    steps.count('p', both, counts);
    expect(await seriesOf('p')).toEqual([]);
    expect(await seriesOf('q')).toHaveLength(5);
  });
});
