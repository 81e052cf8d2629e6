/**
 * Whether a number is a multiple of `divisor`, as both are written in decimal: 19.99 is one of 0.01, which division in
 * floating point denies.
 */
export function multipleOf(divisor: number): (value: number) => boolean {
  const step = decimal(divisor);
  const power = 10 ** -step.exponent;
  const digits = Number(step.digits);
  const simple = step.exponent > -22 && digits <= Number.MAX_SAFE_INTEGER;
  return (value) => {
    // What JSON.parse makes of 1e400: nobody knows which number it was.
    if (!Number.isFinite(value)) return true;
    if (step.exponent >= 0) return value % divisor === 0;
    const scaled = Math.round(value * power);
    // So small that both the product and the quotient are the nearest there are: exact.
    if (simple && Math.abs(scaled) < 2 ** 51) return scaled / power === value && scaled % digits === 0;
    return dividesExactly(decimal(value), step);
  };
}

interface Decimal {
  digits: bigint;
  exponent: number;
}

function dividesExactly(value: Decimal, step: Decimal): boolean {
  const scale = Math.min(value.exponent, step.exponent);
  const whole = ({ digits, exponent }: Decimal): bigint => digits * 10n ** BigInt(exponent - scale);
  return whole(value) % whole(step) === 0n;
}

/** The shortest decimal that reads as this number: digits × 10^exponent. */
function decimal(value: number): Decimal {
  const [mantissa = '0', power = '0'] = value.toExponential().split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length };
}
