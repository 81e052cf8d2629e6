import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { binOf } from './ddsketch.js';
import { quantile } from './quantile.js';
import { at } from './values.fixture.js';

/** Results of the reference implementation, which ddsketch-golden.py writes. */
const golden = JSON.parse(
  readFileSync('libs/core/dataflow/fold-operations/ddsketch-golden.json', 'utf8'),
) as {
  probabilities: number[];
  sets: {
    kind: string;
    seed: number;
    count: number;
    bins: number;
    sha256: string;
    quantiles: number[];
  }[];
};

const power = (u: number, least: number, most: number) =>
  Number(`1e${Math.trunc(least + u * (most - least))}`);

/** The kinds of data of ddsketch-golden.py. */
const kinds: Record<string, (u: number, v: number) => number> = {
  constant: () => 100,
  uniform: (u) => u * 1000,
  integers: (u) => Math.trunc(u * 100),
  pareto: (u) => 1 / (1 - u),
  'heavy tail': (u, v) => 1 / ((1 - u) * (1 - u) * (1 - v)),
  negative: (u) => -1 / (1 - u),
  'both signs': (u, v) => (u - 0.5) * power(v, 0, 5),
  '16 orders of magnitude': (u, v) => u * power(v, -8, 8),
  collapsing: (u, v) => u * power(v, -20, 20),
  'all doubles': (u, v) => (u - 0.5) * power(v, -305, 305),
};

function generated({ kind, seed, count }: { kind: string; seed: number; count: number }): number[] {
  let state = seed;
  const next = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  return Array.from({ length: count }, () => {
    const u = next();
    return kinds[kind]!(u, next());
  });
}

const operation = quantile(golden.probabilities);
type State = typeof operation.empty;

const fold = (values: readonly number[]) =>
  values.reduce((state: State, value, n) => operation.add(state, value, at(n)), operation.empty);
/** The state after folding every fourth value separately, and merging the states from the last to the first. */
const foldedInGroups = (values: readonly number[]) =>
  [3, 2, 1, 0]
    .map((group) => fold(values.filter((_, i) => i % 4 === group)))
    .reduce((a, b) => operation.merge(a, b));

describe('the DDSketch of quantile', () => {
  it.each(golden.sets)(
    'has the bins and the quantiles of the reference implementation for $count values: $kind',
    (set) => {
      const values = generated(set);
      const state = fold(values);
      expect(foldedInGroups(values)).toEqual(state);
      const [zeros, positive, negative] = state;
      const text = [positive, negative].map((bins) =>
        bins.flatMap((index, i) => (i % 2 ? [] : [`${index}:${bins[i + 1]}`])).join(','),
      );
      expect((positive.length + negative.length) / 2).toBe(set.bins);
      expect(
        createHash('sha256')
          .update([zeros, ...text].join(';'))
          .digest('hex'),
      ).toBe(set.sha256);
      const found = JSON.parse(operation.result(state)) as Record<string, number>;
      for (const [i, p] of golden.probabilities.entries()) {
        const expected = set.quantiles[i]!;
        expect(Math.abs(found[p]! - expected)).toBeLessThanOrEqual(Math.abs(expected) * 1e-12);
      }
    },
  );

  it('is compared with sketches that collapsed, and with sketches that did not', () => {
    const collapsed = golden.sets.filter((set) => {
      const [, positive] = set.count < 100 ? fold(generated(set)) : operation.empty;
      return positive.length > 0 && positive[0] === positive.at(-2)! - 2047;
    });
    expect(new Set(collapsed.map(({ kind }) => kind))).toEqual(new Set(['collapsing', 'all doubles']));
  });
});

it('a magnitude just below 1 is in bin 0, which JSON keeps', () => {
  expect(binOf(0.999)).toBe(0);
  expect(JSON.parse(JSON.stringify([binOf(0.999)]))).toEqual([binOf(0.999)]);
});
