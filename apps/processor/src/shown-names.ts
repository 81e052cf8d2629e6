/** Has metrics forget the names that no definition has any more. */
export class ShownNames {
  private names: ReadonlySet<string> = new Set();

  constructor(private readonly forget: (name: string) => void) {}

  /** These are defined now. */
  follow(names: readonly string[]): void {
    const before = this.names;
    this.names = new Set(names);
    for (const name of before) if (!this.names.has(name)) this.forget(name);
  }
}
