import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { basename, dirname, join } from 'node:path';

// Loaded into an app by `profilingEnv`: SIGUSR2 starts a CPU profile, and the next one ends and writes it.
const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.setSamplingInterval', { interval: 500 });
const app = basename(dirname(dirname(process.argv[1] ?? 'unknown')));
let running = false;

process.on('SIGUSR2', () => {
  running = !running;
  if (running) return session.post('Profiler.start');
  session.post('Profiler.stop', (error, result) => {
    if (error) return console.error(error);
    const file = join(process.env.PROFILE_FOLDER ?? '.', `${app}-${process.pid}-${Date.now()}.cpuprofile`);
    writeFileSync(file, JSON.stringify(result.profile));
  });
});
