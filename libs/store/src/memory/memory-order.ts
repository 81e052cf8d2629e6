/** Orders text by its UTF-8 bytes, as ClickHouse does; JavaScript's own order is that of UTF-16. */
export function compareText(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a, 'utf8'), Buffer.from(b, 'utf8'));
}

/** Orders by the first key in which two values differ. */
export function compareKeys(a: readonly (string | number)[], b: readonly (string | number)[]): number {
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i], b[i]];
    const order = typeof x === 'string' ? compareText(x, y as string) : (x as number) - (y as number);
    if (order !== 0) return order;
  }
  return 0;
}
