/**
 * Number of steps of CEL expressions that this process has evaluated since it started. A single event may take many
 * steps.
 */
export let stepsTaken = 0;

/** Adds the steps of a finished evaluation of a CEL expression to `stepsTaken`. */
export function countSteps(steps: number): void {
  stepsTaken += steps;
}
