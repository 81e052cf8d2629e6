import { Transform } from 'class-transformer';

const originals = new WeakMap<object, unknown>();

/** Remembers the original object of a cleaned copy, so that `Verbatim` can restore it. */
export function rememberOriginal<T extends object>(copy: T, original: object): T {
  originals.set(copy, original);
  return copy;
}

/**
 * Passes a field of the body to the handler unchanged, with members of any name. The class transformer would leave out
 * some names.
 */
export function Verbatim(): PropertyDecorator {
  return Transform(({ obj, key }: { obj: Record<string, unknown>; key: string }) => {
    const value = obj[key];
    return typeof value === 'object' && value !== null ? originals.get(value) : value;
  });
}
