import { expect, it } from 'vitest';
import { LivePosition } from '../../live/live-position.js';
import { bindingTo, positionIn } from './change-position.js';

const [build, other] = [{ id: 'a' }, { id: 'b' }];
const idOf = (name: string, of: { id: string }) => {
  const position = new LivePosition(bindingTo(name, of));
  position.set('12345678', 1, 300);
  return position.toString();
};

it('is read where it is of this build', () => {
  expect(positionIn(idOf('p', build), { name: 'p', build })?.at('12345678', 1)).toBe(300);
  expect(positionIn(bindingTo('p', build), { name: 'p', build })?.at('12345678', 1)).toBe(0);
});

it('is none where it is of another build of the projection', () => {
  expect(positionIn(idOf('p', other), { name: 'p', build })).toBeUndefined();
});

it.each([
  idOf('q', build),
  'x',
  `${idOf('p', build)}.`,
  `${idOf('p', build)}x`,
  '.',
  bindingTo('p', build).slice(1),
])('is refused where it is anything else: %s', (text) => {
  expect(() => positionIn(text, { name: 'p', build })).toThrow(
    expect.objectContaining({ code: 'invalid_cursor' }),
  );
});
