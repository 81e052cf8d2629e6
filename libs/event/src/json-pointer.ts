/** A JSON pointer (RFC 6901) to a member or an element of what `pointer` points at. */
export function pointerTo(pointer: string, name: string | number): string {
  return `${pointer}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
