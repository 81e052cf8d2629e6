/** Returns the JSON pointer (RFC 6901) to a member or an element of the value that `pointer` points to. */
export function jsonPointerTo(pointer: string, name: string | number): string {
  return `${pointer}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
