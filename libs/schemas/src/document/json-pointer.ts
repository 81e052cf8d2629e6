/** `pointer` with one more part (RFC 6901). */
export function below(pointer: string, part: string | number): string {
  return `${pointer}/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
