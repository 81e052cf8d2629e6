/** Powers of ten that a double represents exactly. */
export const tens: readonly number[] = Array.from({ length: 23 }, (_, i) => Number(`1e${i}`));

/** Upper limit of units here: every decimal of up to 15 digits is the shortest text of its nearest double. */
export const largestUnits = 1e15;

const triedPlaces = 9;

/**
 * Returns the decimal places, at least `from`, that a double's shortest text needs as whole units of at most 15 digits;
 * -1 if a short search does not find them. The units are exactly `Math.round(value * tens[places])`.
 */
export function placesOf(value: number, from: number): number {
  if (from === 0 && Number.isSafeInteger(value)) return 0;
  const last = from > triedPlaces ? Math.min(from, 15) : triedPlaces;
  for (let places = from; places <= last; places++) {
    const ten = tens[places]!;
    const units = Math.round(value * ten);
    if (Math.abs(units) > largestUnits) return -1;
    // Both operands are exact, so the quotient is the double nearest to the decimal.
    if (units / ten === value) return places;
  }
  return -1;
}

/** Returns the exact sum of two doubles' shortest texts; undefined if doubles are not enough to compute it. */
export function smallSum(a: number, b: number): number | undefined {
  const sum = a + b;
  if (Number.isSafeInteger(a) && Number.isSafeInteger(b)) return Number.isSafeInteger(sum) ? sum : undefined;
  const placesA = placesOf(a, 0);
  const places = placesA < 0 ? -1 : placesOf(b, placesA);
  if (places < 0) return undefined;
  const ten = tens[places]!;
  const x = Math.round(a * ten);
  const units = x + Math.round(b * ten);
  return Math.abs(x) <= largestUnits && Math.abs(units) <= largestUnits ? units / ten : undefined;
}

/** Returns the exact product of two doubles' shortest texts; undefined if doubles are not enough to compute it. */
export function smallProduct(a: number, b: number): number | undefined {
  const product = a * b;
  if (Number.isSafeInteger(a) && Number.isSafeInteger(b)) {
    return Number.isSafeInteger(product) ? product : undefined;
  }
  const [placesA, placesB] = [placesOf(a, 0), placesOf(b, 0)];
  if (placesA < 0 || placesB < 0) return undefined;
  const units = Math.round(a * tens[placesA]!) * Math.round(b * tens[placesB]!);
  return Math.abs(units) <= largestUnits ? units / tens[placesA + placesB]! : undefined;
}
