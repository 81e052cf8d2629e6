import { execFileSync } from 'node:child_process';
import { cpus, platform, release, totalmem } from 'node:os';

/** The machine on which a benchmark ran (processor, memory, system, Node), and the git commit that it measured. */
interface MachineAndCommit {
  cores: number;
  cpu: string;
  memoryGb: number;
  os: string;
  node: string;
  commit: string;
  /** Whether the work tree had uncommitted changes. */
  changed: boolean;
}

export function describeMachine(): MachineAndCommit {
  const [first] = cpus();
  return {
    cores: cpus().length,
    cpu: first?.model.trim() ?? 'unknown',
    memoryGb: Math.round(totalmem() / 1e9),
    os: `${platform()} ${release()}`,
    node: process.version,
    commit: git('rev-parse', '--short', 'HEAD'),
    changed: git('status', '--porcelain') !== '',
  };
}

function git(...args: string[]): string {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return '';
  }
}
