/** Members of a definition whose work can be paused and can fail. */
interface Lifecycle {
  version: number;
  paused: boolean;
  failure: string | null;
}

/**
 * Returns the last part of the audit event type for a changed definition, such as `paused`. Of several differences, the
 * most important one decides.
 */
export function lifecycleActionOf(
  before: Lifecycle,
  after: Lifecycle,
): 'changed' | 'failed' | 'paused' | 'resumed' {
  if (after.version !== before.version) return 'changed';
  if (after.failure !== before.failure) return after.failure === null ? 'resumed' : 'failed';
  if (after.paused !== before.paused) return after.paused ? 'paused' : 'resumed';
  return 'changed';
}
