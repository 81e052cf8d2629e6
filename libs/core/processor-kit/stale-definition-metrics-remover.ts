/** Removes the metrics of projections or pipelines that are no longer defined. */
export class StaleDefinitionMetricsRemover {
  private names: ReadonlySet<string> = new Set();

  constructor(private readonly forget: (name: string) => void) {}

  /** Replaces the set of defined names, and calls `forget` for each name that is no longer defined. */
  follow(names: readonly string[]): void {
    const before = this.names;
    this.names = new Set(names);
    for (const name of before) if (!this.names.has(name)) this.forget(name);
  }
}
