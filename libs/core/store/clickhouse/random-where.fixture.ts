import fc from 'fast-check';

/** Number texts as JSON allows them, of all sizes. Some are too large or too precise for arithmetic. */
const numberTexts: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '0',
    '-0',
    '0.0',
    '1',
    '0.1',
    '0.2',
    '0.3',
    '2.50',
    '9007199254740992',
    '9007199254740993',
    '1e400',
  ),
  fc.integer({ min: -20, max: 20 }).map(String),
  fc.integer({ min: -100_000, max: 100_000 }).map((cents) => (cents / 100).toFixed(2)),
  fc.maxSafeInteger().map(String),
  fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }).map(String),
  fc
    .tuple(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.stringMatching(/^[0-9]{1,20}0{0,20}$/))
    .map(([whole, fraction]) => `${whole}.${fraction}`),
  fc
    .tuple(fc.integer({ min: -99_999, max: 99_999 }), fc.constantFrom('e', 'E', 'e+', 'e-'), fc.nat(45))
    .map(([digits, e, power]) => `${digits}${e}${power}`),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((x) => JSON.stringify(x)),
  fc.double({ noNaN: true, min: -1e6, max: 1e6 }).map((x) => JSON.stringify(x)),
);

/** JSON values for the members of an event's `data`, mostly numbers. */
const values: fc.Arbitrary<string> = fc.oneof(
  { weight: 8, arbitrary: numberTexts },
  { weight: 1, arbitrary: numberTexts.map((text) => JSON.stringify(text)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'null',
      'true',
      '"x"',
      '"1970-01-02T00:00:00Z"',
      '{}',
      '{"x":1}',
      '[1]',
      '"+5"',
      '".5"',
      '"5."',
    ),
  },
  { weight: 1, arbitrary: fc.array(numberTexts, { maxLength: 3 }).map((texts) => `[${texts.join(', ')}]`) },
);

/** The JSON text of an event's `data`, with a subset of the members a, b, c and l. */
export const randomData: fc.Arbitrary<string> = fc
  .record({ a: values, b: values, c: values, l: values }, { requiredKeys: [] })
  .map(
    (members) =>
      `{${Object.entries(members)
        .map(([name, text]) => `"${name}": ${text}`)
        .join()}}`,
  );

const members = fc.constantFrom('a', 'b', 'c').map((name) => `event.data.${name}`);
/** Number literals of expressions: the shortest text of a double denotes the same value. */
const literals = fc.oneof(
  fc.integer({ min: -10, max: 10 }).map(String),
  fc.constantFrom(
    '0.1',
    '0.2',
    '0.3',
    '2.5',
    '1e-7',
    '1e20',
    '1e38',
    '1e300',
    '1e-36',
    '1e-40',
    '9007199254740993',
  ),
  fc.integer({ min: -100_000, max: 100_000 }).map((cents) => (cents / 100).toFixed(2)),
);

const { condition } = fc.letrec<{ number: string; condition: string }>((tie) => ({
  number: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    members,
    literals,
    fc.constantFrom('event.offset', 'event.version', 'size(event.data.l)', 'event.timestamp.getFullYear()'),
    fc
      .tuple(tie('number'), fc.constantFrom('+', '-', '*', '/', '%'), tie('number'))
      .map(([a, operator, b]) => `(${a} ${operator} ${b})`),
    tie('number').map((a) => `-(${a})`),
    fc.tuple(fc.constantFrom('int', 'double'), tie('number')).map(([name, a]) => `${name}(${a})`),
    fc.tuple(tie('condition'), tie('number'), tie('number')).map(([test, a, b]) => `(${test} ? ${a} : ${b})`),
  ),
  condition: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc
      .tuple(tie('number'), fc.constantFrom('==', '!=', '<', '<=', '>', '>='), tie('number'))
      .map(([a, operator, b]) => `${a} ${operator} ${b}`),
    fc.tuple(tie('number'), tie('number'), tie('number')).map(([a, b, c]) => `${a} in [${b}, ${c}]`),
    fc.tuple(fc.oneof(literals, fc.constantFrom('"x"', 'true')), members).map(([a, b]) => `${a} in ${b}`),
    fc.tuple(literals, fc.constant('event.data.l')).map(([a, b]) => `${a} in ${b}`),
    fc.tuple(tie('number'), tie('number')).map(([a, b]) => `string(${a}) == string(${b})`),
    tie('number').map((a) => `timestamp(${a}) > event.timestamp`),
    members.map((a) => `has(${a})`),
    tie('condition').map((a) => `!(${a})`),
    fc
      .tuple(tie('condition'), fc.constantFrom('&&', '||'), tie('condition'))
      .map(([a, o, b]) => `(${a} ${o} ${b})`),
  ),
}));

/** Conditions that read, compute, convert, select and search for numbers. */
export const randomConditions: fc.Arbitrary<string> = condition;
