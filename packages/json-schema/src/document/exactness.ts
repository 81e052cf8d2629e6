const compared = new Set(['const', 'enum', 'multipleOf']);
const bounds = new Set(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']);

/**
 * Returns a number in the value of a schema keyword with which values would not be compared exactly; undefined if there
 * is none. Numbers in a schema are doubles: above 2^53, equality is unreliable, but a bound is still nearly exact.
 */
export function inexactNumber(keyword: string, value: unknown): number | undefined {
  if (bounds.has(keyword)) return typeof value === 'number' && !Number.isFinite(value) ? value : undefined;
  return compared.has(keyword) ? largeNumberIn(value) : undefined;
}

function largeNumberIn(value: unknown): number | undefined {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER ? value : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const member of Object.values(value)) {
    const large = largeNumberIn(member);
    if (large !== undefined) return large;
  }
  return undefined;
}
