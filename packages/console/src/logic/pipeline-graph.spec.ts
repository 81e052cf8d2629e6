import { describe, expect, it } from 'vitest';
import { nodeSize, pipelineGraph, readBy } from './pipeline-graph.js';

const source = { streams: ['payments'] };

describe('the graph of a pipeline', () => {
  it('has the source and the operators below each other', () => {
    const { nodes, edges, width } = pipelineGraph(source, [
      { filter: 'event.data.n > 1' },
      { window: { tumbling: '1m', key: 'event.entity_id', lateness: '0s' } },
      { emit: { stream: 'out' } },
    ]);
    expect(nodes.map(({ path, label, x }) => [path, label, x])).toEqual([
      ['source', 'payments', 0],
      ['/operators/0', 'event.data.n > 1', 0],
      ['/operators/1', 'each 1m by event.entity_id', 0],
      ['/operators/2', '→ out', 0],
    ]);
    expect(edges.map(({ from, to }) => `${from} ${to}`)).toEqual([
      'source /operators/0',
      '/operators/0 /operators/1',
      '/operators/1 /operators/2',
    ]);
    expect(width).toBe(nodeSize.width);
  });

  it('names the zone of a window of a calendar', () => {
    const window = { calendar: 'day', zone: 'Europe/Berlin', key: '"all"', lateness: '0s' };
    expect(pipelineGraph(source, [{ window }]).nodes[1]?.label).toBe('each day in Europe/Berlin by "all"');
  });

  it('has a text or a number of an operator as its label', () => {
    const { nodes } = pipelineGraph(source, [{ filter: 'true' }, { unheard_of: 0.5 }, { unheard_of: {} }]);
    expect(nodes.slice(1).map(({ label }) => label)).toEqual(['true', '0.5', '']);
  });

  it('has branches beside each other, with the pointers of the API', () => {
    const branch = [
      { when: 'a', operators: [{ emit: { stream: 'x' } }] },
      { otherwise: true, operators: [{ map: { event_type: '"t"' } }, { emit: { stream: 'y' } }] },
    ];
    const { nodes, edges } = pipelineGraph(source, [{ branch }]);
    const emit = nodes.find(({ path }) => path === '/operators/0/branch/0/operators/0')!;
    const map = nodes.find(({ path }) => path === '/operators/0/branch/1/operators/0')!;
    expect(emit.y).toBe(map.y);
    expect(map.x).toBeGreaterThan(emit.x + nodeSize.width);
    expect(edges.filter(({ from }) => from === '/operators/0').map(({ label }) => label)).toEqual([
      'a',
      'otherwise',
    ]);
    expect(nodes.find(({ path }) => path === 'source')!.x).toBe((emit.x + map.x) / 2);
  });

  it('has indented branches below each other in a narrow drawing', () => {
    const branch = [
      { when: 'a', operators: [{ emit: { stream: 'x' } }] },
      { otherwise: true, operators: [{ emit: { stream: 'y' } }] },
    ];
    const { nodes, width } = pipelineGraph(source, [{ branch }], { isNarrow: true });
    expect(nodes.map(({ label, x }) => [label, x])).toEqual([
      ['payments', 0],
      ['2 branches', 0],
      ['→ x', 28],
      ['→ y', 28],
    ]);
    const rows = nodes.map(({ y }) => y);
    expect([...new Set(rows)].sort((a, b) => a - b)).toEqual(rows);
    expect(width).toBe(nodeSize.width + 28);
  });

  it('shows an operator that it does not know', () => {
    const { nodes } = pipelineGraph(source, [{ later: {} }, {}]);
    expect(nodes.map(({ operator }) => operator)).toEqual(['source', 'later', 'unknown']);
  });
});

describe('the events that a pipeline reads', () => {
  const join = (more: object) => ({ join: { with: { streams: ['payments', 'refunds'], ...more } } });
  const types = { ...source, event_types: ['placed'] };

  it('are those of its source', () => {
    expect(readBy({ source: types, operators: [{ emit: { stream: 'out' } }] })).toEqual({
      ...{ stream: ['payments'], event_type: ['placed'] },
    });
  });

  it('are also those of joins, in branches too, of all types if one of them selects all', () => {
    const branch = [{ otherwise: true, operators: [join({ event_types: ['paid'] })] }];
    expect(readBy({ source: types, operators: [{ branch }] })).toEqual({
      ...{ stream: ['payments', 'refunds'], event_type: ['placed', 'paid'] },
    });
    expect(readBy({ source: types, operators: [join({})] }).event_type).toBeUndefined();
  });
});
