import type { EpochMicros } from '#json';
import { duration } from '../definition/members.js';

/** Reads the length of a projection's history. @throws DefinitionError at the pointer */
export function compileHistory(value: unknown, pointer: string): EpochMicros {
  return duration(value, pointer, { least: '1h', most: '3660d' });
}
