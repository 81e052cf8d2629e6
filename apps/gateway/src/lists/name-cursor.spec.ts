import { describe, expect, it } from 'vitest';
import { nameCursor, nameOfCursor } from './name-cursor.js';

describe('the cursor of a list sorted by name', () => {
  it.each(['orders', 'a.b-c_d'])('brings %s back', (name) => {
    expect(nameOfCursor(nameCursor(name))).toBe(name);
  });

  it.each(['x', 'bjpv=', `${nameCursor('orders')}A`, `${nameCursor('orders')}=`, "' OR 1=1 --"])(
    'refuses %j',
    (cursor) => {
      expect(() => nameOfCursor(cursor)).toThrow(expect.objectContaining({ code: 'invalid_cursor' }));
    },
  );
});
