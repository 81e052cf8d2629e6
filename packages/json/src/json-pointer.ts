/** Appends the name of a member, or the index of an element, to a JSON pointer (RFC 6901), with `~` and `/` escaped. */
export function jsonPointerTo(pointer: string, name: string | number): string {
  return `${pointer}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
