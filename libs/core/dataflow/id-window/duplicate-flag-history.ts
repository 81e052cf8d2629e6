/** Numbers of offsets whose decisions a `DuplicateFlagHistory` keeps. */
export interface DuplicateFlagLimits {
  /** Number of offsets that are kept even if no reader needs them. */
  kept: number;
  most: number;
}

/** 32 KiB are kept for readers that return soon, and at most 512 KiB for slow readers. */
export const defaultHistoryLimits: DuplicateFlagLimits = { kept: 262_144, most: 4_194_304 };

const bitsPerWord = 32;
const smallestWords = 32;

/**
 * Remembers for the last offsets of a partition whether their records are duplicates, one bit each. A full history
 * doubles while a reader needs the oldest decisions, up to a limit; then it forgets the oldest ones.
 */
export class DuplicateFlagHistory {
  /** A ring of words. The word with the bits of the offsets `32 n` to `32 n + 31` is at index `n` modulo the length. */
  private words: Uint32Array;
  private oldest: number;
  private end: number;

  /** @param neededFrom Returns the lowest offset that a reader will still ask for; called when the history is full. */
  constructor(
    from: number,
    private readonly limits: DuplicateFlagLimits,
    private readonly neededFrom: () => number,
  ) {
    this.oldest = from;
    this.end = from;
    this.words = new Uint32Array(Math.min(smallestWords, wordsFor(limits.kept)));
  }

  /** First offset whose decision is not forgotten. */
  get first(): number {
    return this.oldest;
  }

  get bytes(): number {
    return this.words.byteLength;
  }

  /** Adds the decision of an offset. Each call must have a higher offset than the call before. */
  add(offset: number, isDuplicate: boolean): void {
    const word = wordOf(offset);
    const before = this.end > this.oldest ? wordOf(this.end - 1) : wordOf(this.oldest) - 1;
    this.end = offset + 1;
    if (word > before) this.open(before + 1, word);
    if (isDuplicate) this.words[this.indexOf(word)]! |= bitOf(offset);
  }

  /** Returns whether the record at an offset is a duplicate; undefined if the decision is forgotten. */
  at(offset: number): boolean | undefined {
    if (offset < this.oldest || offset >= this.end) return undefined;
    return (this.words[this.indexOf(wordOf(offset))]! & bitOf(offset)) !== 0;
  }

  /** Makes room for the words from `from` to `to`, and clears them. */
  private open(from: number, to: number): void {
    while (to - wordOf(this.oldest) >= this.words.length) {
      const oldest = (to - this.words.length + 1) * bitsPerWord;
      const { kept, most } = this.limits;
      const limit = wordsFor(this.neededFrom() < oldest ? most : kept);
      if (this.words.length < limit) this.grow(from);
      else this.oldest = oldest;
    }
    for (let word = Math.max(from, wordOf(this.oldest)); word <= to; word++)
      this.words[this.indexOf(word)] = 0;
  }

  private grow(end: number): void {
    const { words } = this;
    const larger = new Uint32Array(words.length * 2);
    for (let word = wordOf(this.oldest); word < end; word++)
      larger[word % larger.length] = words[word % words.length]!;
    this.words = larger;
  }

  private indexOf(word: number): number {
    return word % this.words.length;
  }
}

function wordOf(offset: number): number {
  return Math.floor(offset / bitsPerWord);
}

function bitOf(offset: number): number {
  // The low bits of an offset are exact, even above 2^32.
  return 1 << (offset & (bitsPerWord - 1));
}

function wordsFor(offsets: number): number {
  return Math.max(1, Math.floor(offsets / bitsPerWord));
}
