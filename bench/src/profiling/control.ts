/**
 * Returns the environment for CPU profiles of a part of an app's run. The environment loads a hook into each app, and
 * a signal starts and ends the profile. (`--cpu-prof` would include the start of the app, and cannot be set in the
 * environment.)
 */
export function profilingEnv(folder: string): Record<string, string> {
  const hook = new URL('./hook.js', import.meta.url);
  return { NODE_OPTIONS: `--import=${hook.href}`, PROFILE_FOLDER: folder };
}

/** Starts the profiles of these processes, or ends and writes them. */
export function toggleProfiles(pids: readonly number[]): void {
  for (const pid of pids) process.kill(pid, 'SIGUSR2');
}
