import fc from 'fast-check';

/** Texts of JSON numbers with few and many digits, in every supported magnitude. */
export const numberTexts: fc.Arbitrary<string> = fc.oneof(
  fc.integer({ min: -1000, max: 1000 }).map(String),
  fc.integer({ min: -1_000_000, max: 1_000_000 }).map((cents) => (cents / 100).toFixed(2)),
  fc.maxSafeInteger().map(String),
  fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }).map(String),
  fc
    .tuple(fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }), fc.stringMatching(/^[0-9]{1,25}$/))
    .map(([whole, fraction]) => `${whole}.${fraction}`),
  fc
    .tuple(fc.integer({ min: -99_999, max: 99_999 }), fc.integer({ min: -140, max: 140 }))
    .map(([digits, exponent]) => `${digits}e${exponent}`),
  fc
    .double({ noNaN: true, noDefaultInfinity: true, min: -1e150, max: 1e150 })
    .filter((x) => x === 0 || Math.abs(x) > 1e-150)
    .map((x) => JSON.stringify(x)),
);
