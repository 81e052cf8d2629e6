/**
 * `node deploy/checks/prometheus.mjs` checks that the rules are valid, that each alert fires exactly when its test
 * expects, and that the dashboards pass grafana/dashboard-linter if it is installed.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Report } from './report.mjs';
import { debianProgram, onPath, root } from './tools.mjs';

const chart = join(root, 'helm', 'tributary');
const filesIn = (folder, ending) =>
  readdirSync(join(chart, folder))
    .filter((name) => name.endsWith(ending))
    .map((name) => join(chart, folder, name));

/** @throws Error with the output of the program if it fails */
function run(program, args) {
  try {
    execFileSync(program, args, { encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    throw new Error(`${error.stdout ?? ''}${error.stderr ?? ''}` || error.message, { cause: error });
  }
}

const report = new Report();
let promtool;
await report.check('promtool is installed', () => {
  promtool = debianProgram('prometheus', 'promtool');
});
if (promtool) {
  await report.check('rules: syntax and lint', () =>
    run(promtool, ['check', 'rules', '--lint=all', '--lint-fatal', ...filesIn('rules', '.yaml')]),
  );
  for (const file of filesIn('rules/tests', '.yaml')) {
    const name = file.slice(chart.length + 1);
    await report.check(`rules: ${name}`, () => run(promtool, ['test', 'rules', file]));
  }
}
const linter = onPath('dashboard-linter');
for (const file of filesIn('dashboards', '.json')) {
  const name = `dashboard lint: ${file.slice(chart.length + 1)}`;
  if (linter) await report.check(name, () => run(linter, ['lint', '--strict', file]));
  else report.skip(name, 'dashboard-linter is not installed');
}
report.end();
