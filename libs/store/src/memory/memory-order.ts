import { compareUtf8 } from '#event';

/** Orders by the first key in which two values differ; texts as ClickHouse does, by their UTF-8. */
export function compareKeys(a: readonly (string | number)[], b: readonly (string | number)[]): number {
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i], b[i]];
    const order = typeof x === 'string' ? compareUtf8(x, y as string) : (x as number) - (y as number);
    if (order !== 0) return order;
  }
  return 0;
}
