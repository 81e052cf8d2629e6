/**
 * The names of an object that have been evaluated. All branches of its schema add to the same names, and one that does
 * not fit takes back its own: nothing is copied from a branch to the one around it.
 */
export class EvaluatedNames {
  private readonly names = new Set<string>();
  private readonly inOrder: string[] = [];

  get count(): number {
    return this.inOrder.length;
  }

  has(name: string): boolean {
    return this.names.has(name);
  }

  add(name: string): void {
    if (this.names.has(name)) return;
    this.names.add(name);
    this.inOrder.push(name);
  }

  /** Forgets all but the first names. */
  backTo(count: number): void {
    for (const name of this.inOrder.splice(count)) this.names.delete(name);
  }
}
