import { expect, it } from 'vitest';
import { LivePosition } from '#features/events';
import { generationBinding, changeId, parseChangeId } from './change-stream-position.js';

const [generation, other] = [{ id: 'a' }, { id: 'b' }];
const idOf = (name: string, of: { id: string }) => {
  const position = new LivePosition(generationBinding(name, of));
  position.set('12345678', 1, 300);
  return position.toString();
};

it('is parsed if it belongs to this generation', () => {
  expect(parseChangeId(idOf('p', generation), { name: 'p', generation })?.from.at('12345678', 1)).toBe(300);
  expect(
    parseChangeId(generationBinding('p', generation), { name: 'p', generation })?.from.at('12345678', 1),
  ).toBe(0);
});

it('includes which keys of the next changes were sent, as long as it fits into a header', () => {
  const from = new LivePosition(generationBinding('p', generation));
  const to = from.copy();
  to.set('12345678', 1, 300);
  const id = changeId({ from, sent: { to, after: 'a key ~ é' } });
  const read = parseChangeId(id, { name: 'p', generation });
  expect([read?.from.toString(), read?.sent?.to.toString()]).toEqual([from.toString(), to.toString()]);
  expect(read?.sent?.after).toBe('a key ~ é');
  expect(changeId({ from, sent: { to, after: 'x'.repeat(10_000) } })).toBe(from.toString());
});

it('is undefined if it belongs to another generation of the projection', () => {
  expect(parseChangeId(idOf('p', other), { name: 'p', generation })).toBeUndefined();
});

it.each([
  idOf('q', generation),
  'x',
  `${idOf('p', generation)}.`,
  `${idOf('p', generation)}x`,
  `${idOf('p', generation)}~${idOf('p', generation)}`,
  `${idOf('p', generation)}~${idOf('p', other)}~YQ`,
  `${idOf('p', generation)}~${idOf('p', generation)}~YQ~YQ`,
  '.',
  generationBinding('p', generation).slice(1),
])('refuses any other text: %s', (text) => {
  expect(() => parseChangeId(text, { name: 'p', generation })).toThrow(
    expect.objectContaining({ code: 'invalid_cursor' }),
  );
});
