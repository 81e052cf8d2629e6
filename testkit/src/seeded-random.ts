/**
 * A seeded generator of pseudo-random numbers (mulberry32: 32 bits of state, enough to choose test input). The numbers
 * are not fit for secrets.
 */
export class SeededRandom {
  private state: number;

  constructor(readonly seed: number) {
    this.state = seed >>> 0;
  }

  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = this.state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns an integer from 0 (inclusive) to `below` (exclusive). */
  int(below: number): number {
    return Math.floor(this.next() * below);
  }

  /** Returns true with this probability. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    const chosen = list[this.int(list.length)];
    if (chosen === undefined) throw new Error('Nothing to pick from');
    return chosen;
  }

  /** Returns a UUID of version 4 in lower case. */
  uuid(): string {
    const hex = Array.from({ length: 32 }, () => this.int(16).toString(16)).join('');
    const variant = (8 + this.int(4)).toString(16);
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
  }

  /**
   * Returns a separate generator for one of several workers, so that the numbers of each worker do not depend on the
   * order in which the workers draw.
   */
  fork(index: number): SeededRandom {
    return new SeededRandom(Math.imul(this.seed ^ 0x9e3779b9, index + 0x85ebca6b));
  }
}

/**
 * Returns and prints the seed of a fault run: the environment variable `FAULT_SEED` if it is set, to repeat a failed
 * run, otherwise a new seed.
 */
export function faultSeed(): number {
  const given = process.env.FAULT_SEED;
  const seed = given ? Number(given) : Math.floor(Math.random() * 2 ** 31);
  if (!Number.isInteger(seed)) throw new Error('FAULT_SEED must be a whole number');
  process.stderr.write(`FAULT_SEED=${seed}\n`);
  return seed;
}
