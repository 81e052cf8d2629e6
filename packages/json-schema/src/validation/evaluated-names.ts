/**
 * The names of an object's members that a schema has evaluated, for `unevaluatedProperties`. All branches of the schema
 * add to the same set, and a branch that does not fit removes its own names again. With one shared set, no names are
 * copied from a branch to its parent.
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

  /** Removes all names except the `count` that were added first. */
  backTo(count: number): void {
    for (const name of this.inOrder.splice(count)) this.names.delete(name);
  }
}
