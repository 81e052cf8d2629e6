/** Steps that the process has computed since it began: what an expression takes, which a piece of work may have many of. */
export let stepsTaken = 0;

/** After work that counts its steps. */
export function countSteps(steps: number): void {
  stepsTaken += steps;
}
