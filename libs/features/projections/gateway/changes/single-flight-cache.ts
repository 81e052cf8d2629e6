interface CachedAnswer<Answer> {
  answer: Promise<Answer>;
  /** Size of the answer; 0 until it has arrived. */
  bytes: number;
}

/**
 * Shares one answer between callers that ask for the same key, while it is computed and until newer answers replace it.
 * The oldest answers are removed first. A failure is not kept: only the callers that wait for it receive it.
 */
export class SingleFlightCache<Answer extends { bytes: Buffer }> {
  private readonly kept = new Map<string, CachedAnswer<Answer>>();

  constructor(private readonly most: { answers: number; bytes: number }) {}

  get(key: string, find: () => Promise<Answer>): Promise<Answer> {
    const known = this.kept.get(key);
    if (known) return known.answer;
    const one: CachedAnswer<Answer> = { answer: find(), bytes: 0 };
    this.kept.set(key, one);
    one.answer.then(
      ({ bytes }) => {
        one.bytes = bytes.length;
        this.forgetOldest();
      },
      () => this.kept.delete(key),
    );
    return one.answer;
  }

  private forgetOldest(): void {
    for (const key of this.kept.keys()) {
      const bytes = [...this.kept.values()].reduce((sum, one) => sum + one.bytes, 0);
      if (this.kept.size <= this.most.answers && bytes <= this.most.bytes) return;
      this.kept.delete(key);
    }
  }
}
