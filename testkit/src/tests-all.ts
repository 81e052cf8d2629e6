import { faultSeed, SeededRandom } from './seeded-random.js';

/**
 * `TEST_ALL=1` runs the cases that are too slow for `npm test`: every broker with every fault, every port with the
 * worst inputs, more rounds of each fault, more streams, a longer soak.
 */
export const testsAll = process.env.TEST_ALL === '1';

/**
 * Returns this many of the cases, which the seed (FAULT_SEED) chooses; with `TEST_ALL=1` all of them. For cases that each prove something
 * of their own, and together take too long for `npm test`: over several runs, each of them is run.
 */
export function chosenCases<T>(cases: readonly T[], count: number): T[] {
  if (testsAll || count >= cases.length) return [...cases];
  const random = new SeededRandom(faultSeed());
  const left = [...cases.keys()];
  const chosen = Array.from({ length: count }, () => left.splice(random.int(left.length), 1)[0]!);
  return chosen.sort((a, b) => a - b).map((index) => cases[index]!);
}
