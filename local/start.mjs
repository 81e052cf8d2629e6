/** `npm start`: sets up what is missing, starts everything, and keeps it running until Ctrl-C. `--watch` for `npm run dev`. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fail, root, setUp, step } from './setup.mjs';

async function main() {
  console.log('Tributary');
  await setUp({ kafka: !process.env.KAFKA_BROKERS });
  const { startLocalSystem } = await import('../dist/local/src/start.js');
  let system;
  const interrupt = () => {
    if (system) system.stop();
    // Children notice that their parent is gone, and stop by themselves.
    else process.exit(130);
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  system = await startLocalSystem({ env: process.env, say: (line) => console.log(line), step });
  const watcher = process.argv.includes('--watch') ? watch(system) : undefined;
  const code = await system.ended;
  watcher?.kill();
  console.log(code === 0 ? 'Stopped.' : '');
  process.exit(code);
}

/** Compiles on change, and restarts the apps when it compiles. */
function watch(system) {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const child = spawn(process.execPath, [tsc, '-p', 'tsconfig.json', '--watch', '--preserveWatchOutput'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let first = true;
  child.stdout.on('data', (chunk) => {
    const text = String(chunk);
    if (/error TS/.test(text)) console.log(text.trim());
    if (!/Found 0 errors/.test(text)) return;
    if (first) {
      first = false;
      console.log('The source is watched: the apps are restarted after each change that compiles.');
      return;
    }
    console.log('The source has changed: the apps are restarted');
    void system.restartApps().then(() => console.log('The apps run the new source'));
  });
  return child;
}

main().catch(fail);
