import { describe, expect, it } from 'vitest';
import type { OperatorOutcome } from '../flow/pipeline.js';
import { outcomesOf } from '../pipeline.fixture.js';
import type { OperatorJson } from './operator.js';

const flatMapped = (flat_map: object, data: string) =>
  outcomesOf([{ flat_map }, { emit: { stream: 'out' } }], data);
const dataOf = (outcomes: readonly OperatorOutcome[]) => outcomes.map(({ flow }) => flow.event.data);

describe('flat_map', () => {
  it('derives an event from each element, in order, each with its own emission index', () => {
    const made = flatMapped({ list: 'event.data.lines' }, '{"lines":[{"n":1},{"n":2.50}]}');
    expect(dataOf(made)).toEqual(['{"n":1}', '{"n":2.5}']);
    expect(made.map(({ flow }) => flow.origin.path)).toEqual(['0000', '0001']);
  });

  it('adds the element to the data, and keeps the text of the data', () => {
    const lines = flatMapped({ list: 'event.data.lines', as: 'line' }, '{ "n": 1.0, "lines": [1, "b"] }');
    expect(dataOf(lines)).toEqual([
      '{ "n": 1.0, "lines": [1, "b"] ,"line":1}',
      '{ "n": 1.0, "lines": [1, "b"] ,"line":"b"}',
    ]);
  });

  it('replaces a member of the same name', () => {
    const data = '{"line":0,"lines":[1],"n":12345678901234567890}';
    expect(dataOf(flatMapped({ list: 'event.data.lines', as: 'line' }, data))).toEqual([
      '{"lines":[1],"n":12345678901234567890,"line":1}',
    ]);
  });

  it('inside another flat_map keeps the order of all elements', () => {
    const paths = outcomesOf(
      [
        { flat_map: { list: 'event.data.rows', as: 'row' } },
        { flat_map: { list: 'event.data.row', as: 'cell' } },
        { emit: { stream: 'out' } },
      ],
      '{"rows":[[1,2],[3]]}',
    ).map(({ flow }) => flow.origin.path);
    expect(paths).toEqual(['0000/0000', '0000/0001', '0001/0000']);
  });

  it('drops an event whose list is empty', () => {
    expect(flatMapped({ list: 'event.data.lines' }, '{"lines":[]}')).toMatchObject([
      { kind: 'drop', reason: 'The list is empty.' },
    ]);
  });

  it.each([
    ['{"lines":1}', 'This is a number, but a list is needed.'],
    ['{"lines":[{},1]}', 'An element is not an object: name a member of data for it with "as".'],
    [`{"lines":[${'{},'.repeat(10_000)}{}]}`, 'One event becomes at most 10000 events'],
  ])('fails %.20s and derives no event from it', (data, detail) => {
    const outcomes = flatMapped({ list: 'event.data.lines' }, data);
    expect(outcomes).toMatchObject([
      {
        kind: 'fail',
        pointer: '/operators/0/flat_map/list',
        detail: expect.stringContaining(detail) as string,
      },
    ]);
  });

  it('limits the number of events that several flat_maps derive from one event', () => {
    const data = `{"a":[${Array.from({ length: 200 }, (_, i) => i).join()}]}`;
    const outcomes = outcomesOf(
      [
        { flat_map: { list: 'event.data.a', as: 'x' } },
        { flat_map: { list: 'event.data.a', as: 'y' } },
        { emit: { stream: 'out' } },
      ],
      data,
    );
    expect(outcomes.filter(({ kind }) => kind === 'emit')).toHaveLength(49 * 200);
    expect(outcomes.filter(({ kind }) => kind === 'fail')).toHaveLength(151);
  });

  const text = 'y'.repeat(4000);
  it.each<[string, OperatorJson]>([
    ['map', { map: { data: { text: `"${text}"` } } }],
    ['enrich', { enrich: { from: { table: { k: { text } } }, key: '"k"', as: 'more' } }],
  ])('limits the characters that %s adds to the derived events', (_, operator) => {
    const data = `{"parts":[${Array.from({ length: 5000 }, () => '{}').join()}]}`;
    const outcomes = outcomesOf(
      [{ flat_map: { list: 'event.data.parts' } }, operator, { emit: { stream: 'out' } }],
      data,
    );
    const made = dataOf(outcomes.filter(({ kind }) => kind === 'emit'));
    expect(made.length).toBeGreaterThan(4000);
    expect(made.join('').length).toBeLessThan(16 * 1024 * 1024);
    expect(outcomes.find(({ kind }) => kind === 'fail')).toMatchObject({
      detail: expect.stringContaining('16777216 characters') as string,
    });
  });

  it('does not limit the data of an event that no flat_map has split', () => {
    const data = JSON.stringify({ long: 'x'.repeat(500_000) });
    const grown = Array.from({ length: 40 }, () => ({
      enrich: { from: { table: { k: 1 } }, key: '"k"', as: 'more' },
    }));
    expect(outcomesOf([...grown, { emit: { stream: 'out' } }], data).map(({ kind }) => kind)).toEqual([
      'emit',
    ]);
  });
});
