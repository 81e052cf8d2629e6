import { describe, expect, it } from 'vitest';
import { second, stageOf } from './operators/keyed.fixture.js';
import { mergedCharacters } from '../../../core/dataflow/fold-operations/merge.js';
import { addToStateEntries, type StateEntriesAddResult } from './add-to-state-entries.js';
import type { StateEntry } from './flow/pipeline.js';
import { flowOf } from './pipeline.fixture.js';

const { operator } = stageOf(
  { window: { hopping: { size: '20s', every: '10s' }, key: '"k"', lateness: '1d' } },
  { reduce: { merged: { op: 'merge', value: 'event.data' } } },
);

describe('an event that belongs to several windows', () => {
  const rows = new Map<string, StateEntry>();
  /** Adds an event whose data has one new member of that many characters. */
  const add = (at: number, offset: number, characters: number): StateEntriesAddResult => {
    const timestamp = at * second;
    const flow = flowOf(JSON.stringify({ [`a${offset}`]: 'x'.repeat(characters) }), { timestamp, offset });
    const names = operator.rowsOf('k', timestamp);
    const added = addToStateEntries(
      operator,
      { names, rowOf: (name) => rows.get(name) },
      { key: 'k', flow, watermark: 0 },
    );
    for (const [name, row] of added.rows) rows.set(name, row);
    return added;
  };

  it('is added to all of them, or to none if one cannot take it', () => {
    const most = 60_000;
    for (let i = 0; (i + 1) * (most + 100) < mergedCharacters; i++)
      expect(add(5, i, most)).toMatchObject({ outcome: undefined, rows: [{}, {}] });
    const before = new Map(rows);
    // The window [0, 20) is full, and the window [10, 30) is empty.
    expect(add(15, 9, most)).toMatchObject({ outcome: { kind: 'fail' }, rows: [], results: [] });
    expect(rows).toEqual(before);
    expect(add(25, 10, most).rows).toHaveLength(2);
  });
});
