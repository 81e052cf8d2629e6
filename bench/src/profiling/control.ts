/**
 * CPU profiles of a window in the life of an app: the hook is loaded into each app, and a signal begins and ends the
 * profile. (`--cpu-prof` would include the start, and cannot be given through the environment.)
 */
export function profilingEnv(folder: string): Record<string, string> {
  const hook = new URL('./hook.js', import.meta.url);
  return { NODE_OPTIONS: `--import=${hook.href}`, PROFILE_FOLDER: folder };
}

/** Begins the profiles of these processes, or ends and writes them. */
export function toggleProfiles(pids: readonly number[]): void {
  for (const pid of pids) process.kill(pid, 'SIGUSR2');
}
