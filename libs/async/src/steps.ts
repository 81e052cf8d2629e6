/**
 * Steps of expression evaluation that the process has taken since it started. One piece of work may take many steps.
 */
export let stepsTaken = 0;

/** Adds the steps of a finished piece of work to `stepsTaken`. */
export function countSteps(steps: number): void {
  stepsTaken += steps;
}
