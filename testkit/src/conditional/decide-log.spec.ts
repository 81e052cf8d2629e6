import { describe, expect, it } from 'vitest';
import { checkDecisions, decideLog, type TopicEventRecord } from './decide-log.js';

const record = (
  event_id: string,
  offset: number,
  more: Partial<TopicEventRecord> = {},
): TopicEventRecord => ({
  ...{ event_id, entity_id: 'e', partition: 0, offset, expected: null },
  ...more,
});
const records = [
  record('a', 0, { expected: 0 }),
  record('b', 1, { expected: 0 }),
  record('a', 2, { expected: 0 }),
  record('c', 3),
  record('b', 5, { expected: 2 }),
  record('d', 4, { expected: 7 }),
  record('e', 0, { expected: 0, entity_id: 'f', partition: 1 }),
];
const decided = (list: readonly TopicEventRecord[]) =>
  decideLog(list).map((one) => {
    if (one.outcome === 'accepted') return `${one.event_id} is version ${one.version}`;
    return one.outcome === 'refused'
      ? `${one.event_id} is refused at ${one.current}`
      : `${one.event_id} is a repeat`;
  });

describe('decideLog', () => {
  it('decides in the order of each partition', () => {
    const expected = [
      'a is version 1',
      'b is refused at 1',
      'a is a repeat',
      'c is version 2',
      'd is refused at 2',
      'b is version 3',
      'e is version 1',
    ];
    expect(decided(records)).toEqual(expected);
    expect(decided(records.toReversed())).toEqual(expected);
  });
});

describe('decideLog with atomic groups', () => {
  const group = (offset: number, ids: string[], expected: number): TopicEventRecord[] =>
    ids.map((id, index) =>
      record(id, offset + index, { expected: expected + index, group: { index, size: ids.length } }),
    );

  it('decides all records of a group as its first one', () => {
    expect(
      decided([
        ...group(0, ['a', 'b'], 0),
        ...group(2, ['c', 'd', 'e'], 1),
        ...group(5, ['a', 'b'], 7),
        ...group(7, ['f', 'b'], 2),
        ...group(9, ['c', 'd'], 2),
      ]),
    ).toEqual([
      ...['a is version 1', 'b is version 2', 'c is refused at 2', 'd is refused at 2', 'e is refused at 2'],
      ...['a is a repeat', 'b is a repeat', 'f is refused at 2', 'b is refused at 2'],
      ...['c is version 3', 'd is version 4'],
    ]);
  });
});

describe('checkDecisions', () => {
  const decisions = decideLog(records);
  const stored = decisions.flatMap((one) =>
    one.outcome === 'accepted' ? [{ ...one, stream: 's', hash: 'h' }] : [],
  );

  it('reports nothing if exactly the accepted records are stored', () => {
    expect(checkDecisions(decisions, stored)).toEqual([]);
  });

  it('reports a record that should not be stored, one that is missing, and another version', () => {
    const refused = { ...records[1]!, version: 2, stream: 's', hash: 'h' };
    expect(checkDecisions(decisions, [...stored, refused])).toHaveLength(1);
    expect(checkDecisions(decisions, stored.slice(1))).toHaveLength(1);
    expect(checkDecisions(decisions, [{ ...stored[0]!, version: 9 }, ...stored.slice(1)])).toHaveLength(1);
  });
});
