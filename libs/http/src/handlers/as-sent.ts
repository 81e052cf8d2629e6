import { Transform } from 'class-transformer';

const originals = new WeakMap<object, unknown>();

/** Remembers the object from which a copy was made. */
export function asSent<T extends object>(copy: T, original: object): T {
  originals.set(copy, original);
  return copy;
}

/**
 * Passes a field exactly as it is in the body, with members of any name. The class transformer leaves out some names.
 */
export function AsSent(): PropertyDecorator {
  return Transform(({ obj, key }: { obj: Record<string, unknown>; key: string }) => {
    const value = obj[key];
    return typeof value === 'object' && value !== null ? originals.get(value) : value;
  });
}
