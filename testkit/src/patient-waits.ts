import { vi } from 'vitest';

/** For a wait that hangs, not for a slow one: the same as that of `expect.poll` in vitest.config.mjs. */
const patienceMs = 60_000;

type WaitFor = typeof vi.waitFor;
const waits = vi as { waitFor: WaitFor & { patient?: true } };

/**
 * Vitest's set-up of each spec file: a `vi.waitFor` without a time-out waits as long as `expect.poll`. Vitest's own
 * default is one second, which a busy machine exceeds, and no setting changes it.
 */
if (!waits.waitFor.patient) {
  const { waitFor } = waits;
  const patient: WaitFor = (condition, options = {}) => {
    const given = typeof options === 'number' ? { timeout: options } : options;
    return waitFor(condition, { timeout: patienceMs, ...given });
  };
  waits.waitFor = Object.assign(patient, { patient: true as const });
}
