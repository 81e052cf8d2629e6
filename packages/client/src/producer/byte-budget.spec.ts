import { expect, it } from 'vitest';
import { ByteBudget } from './byte-budget.js';

function given() {
  const entered: string[] = [];
  const room = new ByteBudget(10);
  return { room, entered, take: (bytes: number, name: string) => room.take(bytes, () => entered.push(name)) };
}

it('admits requests that fit, and then the waiting ones in order', () => {
  const { room, entered, take } = given();
  take(8, 'a');
  take(4, 'b');
  take(1, 'c');
  expect(entered).toEqual(['a']);
  expect(room.fits(1)).toBe(false);
  room.give(8);
  expect(entered).toEqual(['a', 'b', 'c']);
});

it('admits a request above the limit when the room is empty', () => {
  const { room, entered, take } = given();
  take(1, 'a');
  take(50, 'b');
  take(1, 'c');
  room.give(1);
  expect(entered).toEqual(['a', 'b']);
  room.give(50);
  expect(entered).toEqual(['a', 'b', 'c']);
});

it('reports when there is room', async () => {
  const { room, take } = given();
  await room.some();
  take(10, 'a');
  let told = false;
  const some = room.some().then(() => (told = true));
  await Promise.resolve();
  expect(told).toBe(false);
  room.give(1);
  await some;
});
