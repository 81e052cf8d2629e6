import { UsageError } from '../errors/cli-error.js';
import type { PlanStep } from './plan.js';

/** Refuses a plan that changes an immutable member, before any step is executed. @throws UsageError */
export function requireApplicable(steps: readonly PlanStep[]): void {
  for (const { action, resource, name, differences } of steps) {
    if (action !== 'change') continue;
    const fixed = differences.find(({ path }) => resource.fixed.includes(path.split('/')[1]!));
    if (!fixed) continue;
    const { path, found, wanted } = fixed;
    throw new UsageError(
      `${path} of the ${resource.kind} ${name} cannot be changed from ${JSON.stringify(found)} to ${JSON.stringify(wanted)}. ` +
        `Delete the ${resource.kind} first, or write the current value to the file.`,
    );
  }
}
