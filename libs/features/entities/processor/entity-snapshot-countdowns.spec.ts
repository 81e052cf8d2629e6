import { expect, it } from 'vitest';
import { EntitySnapshotCountdowns } from './entity-snapshot-countdowns.js';

const pass = (due: EntitySnapshotCountdowns, times: number, entity = 'e') =>
  Array.from({ length: times }, () => due.passed('s', entity, 8)).lastIndexOf(true);

it('looks up an unknown entity after a quarter of the events, and then when its version passes a multiple', () => {
  const due = new EntitySnapshotCountdowns(10);
  expect(pass(due, 1)).toBe(-1);
  expect(pass(due, 1)).toBe(0);
  due.found({ stream: 's', entityId: 'e' }, 13, 8);
  expect(pass(due, 2)).toBe(-1);
  expect(pass(due, 1)).toBe(0);
  due.found({ stream: 's', entityId: 'e' }, 16, 8);
  expect(pass(due, 7)).toBe(-1);
  expect(pass(due, 1)).toBe(0);
});

it('evicts the entity whose last event is oldest', () => {
  const due = new EntitySnapshotCountdowns(2);
  pass(due, 1, 'a');
  pass(due, 1, 'b');
  pass(due, 1, 'c');
  expect(pass(due, 1, 'a')).toBe(-1);
  expect(pass(due, 1, 'c')).toBe(0);
});
