/**
 * `npm run soak -- 30m [--seed N]`: sets up the clone, then runs all features at once on a system of its own for this
 * time, with random faults, and checks the results at the end. The command prints the seed; the same seed repeats the
 * choices.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fail, root, setUp } from '../../local/setup.mjs';

const usage = 'Usage: npm run soak -- <duration: 90s, 10m, 2h> [--seed N]';
const units = { s: 1, m: 60, h: 3600 };

/** Returns seconds, or undefined for an invalid duration or one below a minute. */
function secondsOf(text) {
  const [, number, unit] = /^(\d{1,5})([smh])$/.exec(text ?? '') ?? [];
  const seconds = Number(number) * units[unit];
  return seconds >= 60 ? seconds : undefined;
}

function optionsOf(args) {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { seed: { type: 'string' } },
    });
    const seconds = secondsOf(positionals[0]);
    if (seconds && positionals.length === 1 && /^\d{0,10}$/.test(values.seed ?? ''))
      return { seconds, ...values };
  } catch {
    // An unknown option: the usage is printed.
  }
  process.stderr.write(`${usage}\nThe shortest soak is 60s.\n`);
  process.exit(64);
}

async function main() {
  const { seconds, seed } = optionsOf(process.argv.slice(2));
  await setUp();
  const env = {
    ...process.env,
    SOAK_SECONDS: String(seconds),
    FAULT_SEED: seed ?? String(Math.floor(Math.random() * 2 ** 31)),
  };
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const args = ['run', '--project', 'fault', 'dist/test/soak.fault.spec.js', '--reporter=verbose'];
  const child = spawn(process.execPath, [vitest, ...args], { cwd: root, stdio: 'inherit', env });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.once('close', (code) => process.exit(code ?? 1));
}

main().catch(fail);
