import { compareUtf8 } from '#json';

/**
 * Compares two sort keys by the first value in which they differ. Strings are compared by their UTF-8 bytes,
 * as in ClickHouse.
 */
export function compareKeys(a: readonly (string | number)[], b: readonly (string | number)[]): number {
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i], b[i]];
    const order = typeof x === 'string' ? compareUtf8(x, y as string) : (x as number) - (y as number);
    if (order !== 0) return order;
  }
  return 0;
}
