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
