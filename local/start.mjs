/**
 * `npm start`: sets up the clone, starts all processes, and keeps them running until Ctrl-C, or until npm ends. `npm
 * run dev` adds `--watch`. `npm start -- --engines` starts only Kafka and ClickHouse, to restore a backup.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { oncePerInterrupt } from './interrupt.mjs';
import { whenNpmEnds } from './npm-parent.mjs';
import { bundleApps, fail, root, setUp, step } from './setup.mjs';
import { SetupError } from './tools.mjs';

async function main() {
  const unknown = process.argv.slice(2).find((arg) => arg !== '--watch' && arg !== '--engines');
  if (unknown !== undefined) {
    throw new SetupError(
      `Unknown argument: ${JSON.stringify(unknown)}. \`npm start\` takes only \`-- --engines\`: settings are environment variables.`,
    );
  }
  if (process.argv.includes('--watch') && process.argv.includes('--engines')) {
    throw new SetupError(
      '`--engines` starts no app, so there is nothing to restart after a change. Leave out `--watch` or `--engines`.',
    );
  }
  console.log('Tributary');
  let system;
  let interrupted = false;
  const interrupt = oncePerInterrupt(() => {
    interrupted = true;
    system?.stop();
  });
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  whenNpmEnds(() => {
    if (!interrupted) process.kill(process.pid, 'SIGTERM');
  });
  // The reader of the output may have ended with npm: the shutdown continues without it.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  await setUp({ kafka: !process.env.KAFKA_BROKERS });
  const { openLocalSystem } = await import('../dist/local/src/start.js');
  const enginesOnly = process.argv.includes('--engines');
  const say = (line) => console.log(line);
  system = await openLocalSystem({ env: process.env, enginesOnly, say, step });
  if (interrupted) system.stop();
  const runs = await system.start();
  const watcher = runs && process.argv.includes('--watch') ? watch(system) : undefined;
  const code = await system.ended;
  watcher?.kill();
  console.log(code === 1 ? '' : 'Stopped.');
  process.exit(code);
}

/** Compiles after each change, and restarts the apps after each successful compilation. */
function watch(system) {
  const tsc = join(root, 'node_modules', 'typescript-7', 'bin', 'tsc');
  const child = spawn(process.execPath, [tsc, '-p', 'tsconfig.json', '--watch', '--preserveWatchOutput'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let first = true;
  let restarted = Promise.resolve();
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
    restarted = restarted
      .then(() => bundleApps())
      .then(() => system.restartApps())
      .then(() => console.log('The apps run the new source'))
      .catch((error) => console.log(error.message));
  });
  return child;
}

main().catch(fail);
