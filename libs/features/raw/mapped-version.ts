export const mappedVersionRule = 'must be an integer from 0 to 9007199254740991';

/**
 * Parses the expected version of a conditional write from its decimal digits. Returns null if it is missing, undefined
 * if it is invalid.
 */
export function mappedVersion(value: unknown): number | null | undefined {
  if (value == null) return null;
  if (typeof value !== 'string' || !/^(?:0|[1-9]\d{0,15})$/.test(value)) return undefined;
  const version = Number(value);
  return Number.isSafeInteger(version) ? version : undefined;
}
