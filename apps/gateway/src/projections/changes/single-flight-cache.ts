interface CachedAnswer<Answer> {
  answer: Promise<Answer>;
  /** Size of the answer; 0 until it has arrived. */
  bytes: number;
}

/**
 * Shares answers between callers with the same question, while the answer is being computed and for a little later. The
 * oldest answers are removed first. A failure is not kept: only the callers that wait for it receive it.
 */
export class SingleFlightCache<Answer extends { bytes: Buffer }> {
  private readonly kept = new Map<string, CachedAnswer<Answer>>();

  constructor(private readonly most: { answers: number; bytes: number }) {}

  get(question: string, find: () => Promise<Answer>): Promise<Answer> {
    const known = this.kept.get(question);
    if (known) return known.answer;
    const one: CachedAnswer<Answer> = { answer: find(), bytes: 0 };
    this.kept.set(question, one);
    one.answer.then(
      ({ bytes }) => {
        one.bytes = bytes.length;
        this.forgetOldest();
      },
      () => this.kept.delete(question),
    );
    return one.answer;
  }

  private forgetOldest(): void {
    for (const question of this.kept.keys()) {
      const bytes = [...this.kept.values()].reduce((sum, one) => sum + one.bytes, 0);
      if (this.kept.size <= this.most.answers && bytes <= this.most.bytes) return;
      this.kept.delete(question);
    }
  }
}
