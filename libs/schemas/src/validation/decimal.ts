/**
 * Whether a number is a multiple of another one, as both are written in decimal: 19.99 is one of 0.01, which division in
 * floating point denies.
 */
export function isMultipleOf(value: number, divisor: number): boolean {
  // What JSON.parse makes of 1e400: nobody knows which number it was.
  if (!Number.isFinite(value)) return true;
  if (Number.isInteger(divisor)) return value % divisor === 0;
  const a = decimal(value);
  const b = decimal(divisor);
  const scale = Math.min(a.exponent, b.exponent);
  return (
    (a.digits * 10n ** BigInt(a.exponent - scale)) % (b.digits * 10n ** BigInt(b.exponent - scale)) === 0n
  );
}

/** The shortest decimal that reads as this number: digits × 10^exponent. */
function decimal(value: number): { digits: bigint; exponent: number } {
  const [mantissa = '0', power = '0'] = value.toExponential().split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length };
}
