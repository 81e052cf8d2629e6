import { Transform } from 'class-transformer';

const originals = new WeakMap<object, unknown>();

/** Keeps what a copy was made of. */
export function asSent<T extends object>(copy: T, original: object): T {
  originals.set(copy, original);
  return copy;
}

/** Hands a field over exactly as it stands in the body, with members of any name: the transformer leaves some out. */
export function AsSent(): PropertyDecorator {
  return Transform(({ obj, key }: { obj: Record<string, unknown>; key: string }) => {
    const value = obj[key];
    return typeof value === 'object' && value !== null ? originals.get(value) : value;
  });
}
