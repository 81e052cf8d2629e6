/** Checks for the tools that `npm run check:deploy` needs on this machine in addition to Node. */
import { spawnSync } from 'node:child_process';
import { SetupError } from '../../local/tools.mjs';

const oldestGo = [1, 26];

export function checkGo() {
  const hint = `The check builds Helm and kubeconform with Go ${oldestGo.join('.')} or newer (https://go.dev/dl).`;
  const answer = spawnSync('go', ['env', 'GOVERSION'], { encoding: 'utf8' });
  if (answer.error || answer.status !== 0) throw new SetupError(`Go was not found. ${hint}`);
  const [, major, minor] = /go(\d+)\.(\d+)/.exec(answer.stdout) ?? [];
  if (Number(major) > oldestGo[0] || Number(minor) >= oldestGo[1]) return;
  throw new SetupError(`${answer.stdout.trim()} is too old. ${hint}`);
}

export function checkPython() {
  const answer = spawnSync('python3', ['-m', 'pip', '--version'], { encoding: 'utf8' });
  if (!answer.error && answer.status === 0) return;
  throw new SetupError(
    "Python's pip was not found. The check fetches Kubernetes' schemas with it (python3 -m pip).",
  );
}
