import { describe, expect, it } from 'vitest';
import { nameCursor, nameOfCursor } from './page-by-name.js';

const boundTo = ['streams'];
const given = nameCursor(boundTo, 'orders');
const refusal = expect.objectContaining({ code: 'invalid_cursor' }) as Error;

describe('the cursor of a list sorted by name', () => {
  it.each(['orders', 'a.b-c_d', 'orders/ü "%"\u{1f600}'])('contains the name %s', (name) => {
    expect(nameOfCursor(boundTo, nameCursor(boundTo, name))).toBe(name);
  });

  it.each(['x', 'bjpv=', 'W10', `${given}A`, `${given}=`, "' OR 1=1 --"])('refuses the text %j', (cursor) => {
    expect(() => nameOfCursor(boundTo, cursor)).toThrow(refusal);
  });

  it('refuses a cursor of another list, or with other filters', () => {
    expect(() => nameOfCursor(['keys'], given)).toThrow(refusal);
    expect(() => nameOfCursor(['streams', 'a'], given)).toThrow(refusal);
  });
});
