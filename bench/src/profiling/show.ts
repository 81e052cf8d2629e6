import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { selfTimes, type CpuProfile } from './self-times.js';

// `node dist/bench/src/profiling/show.js [folder] [functions]` prints the largest self times of each profile in the
// folder.
const folder = process.argv[2] ?? '.engines/bench/profiles';
const count = Number(process.argv[3] ?? 25);
for (const name of readdirSync(folder)
  .filter((file) => file.endsWith('.cpuprofile'))
  .sort()) {
  const times = selfTimes(JSON.parse(readFileSync(join(folder, name), 'utf8')) as CpuProfile);
  const busy = times.reduce((sum, { ms }) => sum + ms, 0);
  console.log(`\n${name}: ${Math.round(busy)} ms busy`);
  for (const { name: where, ms, share } of times.slice(0, count)) {
    console.log(`${(share * 100).toFixed(1).padStart(6)} % ${ms.toFixed(0).padStart(7)} ms  ${where}`);
  }
}
