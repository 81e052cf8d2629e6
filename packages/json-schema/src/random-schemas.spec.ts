import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkCompatibility } from './compatibility/check-compatibility.js';
import { InvalidSchemaError } from './document/invalid-schema-error.js';
import { fitsSpecification } from './reference-validator.fixture.js';
import { anyDocument, anyValue, twoVersions } from './random-schemas.fixture.js';
import { compileSchema, type CompiledSchema } from './validation/compile-schema.js';

const events = fc.array(
  anyValue.map((v) => ({ v })),
  { minLength: 10, maxLength: 30 },
);

/**
 * Compiles a random schema; returns undefined if it cannot be used, for example because it refers to itself for the
 * same value.
 */
function compiled(schema: unknown): CompiledSchema | undefined {
  try {
    return compileSchema(schema);
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidSchemaError);
    return undefined;
  }
}

describe('a random schema', () => {
  it(
    'accepts a random event exactly when a direct implementation of the specification does',
    { timeout: 120_000 },
    () => {
      let checked = 0;
      fc.assert(
        fc.property(anyDocument, events, (schema, all) => {
          const validator = compiled(schema);
          if (!validator) return;
          for (const event of all)
            expect(validator.validate(event) === undefined).toBe(fitsSpecification(schema, event));
          checked++;
        }),
        { numRuns: 300 },
      );
      expect(checked).toBeGreaterThan(100);
    },
  );
});

describe('two random versions of a schema', () => {
  it(
    'are compatible only if every event that fits the older version fits the newer one',
    { timeout: 120_000 },
    async () => {
      const counted = { compatible: 0, incompatible: 0, disproved: 0 };
      await fc.assert(
        fc.asyncProperty(twoVersions, events, async ({ before, after }, all) => {
          const [older, newer] = [compiled(before), compiled(after)];
          if (!older || !newer) return;
          const versions = [{ version: 1, schema: before }];
          const found = await checkCompatibility({ schema: after, versions, compatibility: 'backward' });
          const against = all.find((event) => !older.validate(event) && newer.validate(event));
          counted[found.length === 0 ? 'compatible' : 'incompatible']++;
          if (against) counted.disproved++;
          if (found.length === 0) expect(against).toBeUndefined();
        }),
        { numRuns: 300 },
      );
      expect(Math.min(...Object.values(counted))).toBeGreaterThan(10);
    },
  );

  it('are compared in bounded time', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(twoVersions, async ({ before, after }) => {
        if (!compiled(before) || !compiled(after)) return;
        const start = process.cpuUsage();
        await checkCompatibility({
          schema: after,
          versions: [{ version: 1, schema: before }],
          compatibility: 'full',
          policy: 'lenient',
        });
        expect(process.cpuUsage(start).user / 1000).toBeLessThan(10_000);
      }),
      { numRuns: 150 },
    );
  });
});
