/**
 * `npm run check:zones`: compares the local times of expressions, and the days, weeks, months, quarters and years of
 * calendars, with the package `tzdata` from PyPI, of the IANA version that Node.js has, at every change of an offset
 * from 1970 to 2100. zone.spec.ts compares earlier years with
 * `Intl`: the package merges zones that agree since 1970, Node.js does not. Needs Python with pip, and a build.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { checkPython } from '../../deploy/tools/needed.mjs';
import { runTool } from '../../local/run-tool.mjs';
import { fail, root, step } from '../../local/setup.mjs';

/** Installs the package, whose version is 2025.3 for IANA's 2025c, and returns the folder of its zones. */
async function installZones(iana) {
  const version = `${iana.slice(0, 4)}.${iana.charCodeAt(4) - 0x60}`;
  const target = join(root, '.tools', 'zones', version);
  const zones = join(target, 'tzdata', 'zoneinfo');
  if (existsSync(zones)) return zones;
  checkPython();
  const args = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--target', target, `tzdata==${version}`];
  await step(`tzdata ${version} is installed`, () =>
    runTool('python3', args, 'pip could not install tzdata'),
  );
  return zones;
}

function changesOf(names, zones) {
  const script = join(root, 'test', 'zones', 'changes.py');
  const input = JSON.stringify(names);
  const { status, stdout, stderr } = spawnSync('python3', [script, zones], {
    ...{ input, encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 },
  });
  if (status !== 0) throw new Error(`Python failed: ${stderr}`);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

async function main() {
  const { Calendar, calendarUnits } = await import('../../dist/packages/cel/src/calendar.js');
  const { wallClock } = await import('../../dist/packages/cel/src/zone.js');
  const zones = await installZones(process.versions.tz);
  const wrong = [];
  let compared = 0;
  const compare = (zone, instant, offset) => {
    compared++;
    const local = wallClock(instant * 1000, zone, 0).getTime() / 1000;
    if (local !== instant + offset)
      wrong.push(`${zone} at ${instant}: ${local - instant}, tzdata has ${offset}`);
  };
  let intervals = 0;
  const compareIntervals = (calendars, instant, bounds) => {
    for (const [i, calendar] of calendars.entries()) {
      intervals++;
      const { start, end } = calendar.intervalOf(instant * 1e6);
      const [found, expected] = [`${start / 1e6} to ${end / 1e6}`, bounds[i].join(' to ')];
      if (found !== expected)
        wrong.push(`${calendar.unit} of ${calendar.zone} at ${instant}: ${found}, tzdata has ${expected}`);
    }
  };
  for (const [zone, changes] of changesOf(Intl.supportedValuesOf('timeZone'), zones)) {
    const calendars = calendarUnits.map((unit) => new Calendar(unit, zone));
    for (const [i, [instant, before, after, endingIn, beginningIn]] of changes.entries()) {
      const next = changes[i + 1]?.[0] ?? instant + 86_400;
      compare(zone, instant - 1, before);
      compareIntervals(calendars, instant - 1, endingIn);
      compareIntervals(calendars, instant, beginningIn);
      for (const later of [instant, instant + 1, Math.floor((instant + next) / 2)])
        compare(zone, later, after);
    }
  }
  console.log(
    [...wrong, `${compared} local times and ${intervals} intervals compared, ${wrong.length} differ`].join(
      '\n',
    ),
  );
  if (wrong.length > 0 || compared === 0) process.exitCode = 1;
}

main().catch(fail);
