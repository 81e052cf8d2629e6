/**
 * Number of steps that this process has counted since it started, such as the steps of an interpreter. A piece of work
 * that is small in bytes may take many steps.
 */
export let stepsTaken = 0;

/** Adds the steps of a finished computation to `stepsTaken`. */
export function countSteps(steps: number): void {
  stepsTaken += steps;
}
