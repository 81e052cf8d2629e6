interface Kept<Answer> {
  answer: Promise<Answer>;
  /** 0 until it is there. */
  bytes: number;
}

/**
 * Answers that several ask for at nearly the same time: who asks the same while it is looked for, or a little later, is
 * given the same one. The oldest are forgotten first; a failure is nobody's answer but that of those who wait for it.
 */
export class SharedAnswers<Answer extends { bytes: Buffer }> {
  private readonly kept = new Map<string, Kept<Answer>>();

  constructor(private readonly most: { answers: number; bytes: number }) {}

  get(question: string, find: () => Promise<Answer>): Promise<Answer> {
    const known = this.kept.get(question);
    if (known) return known.answer;
    const one: Kept<Answer> = { answer: find(), bytes: 0 };
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
