import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { commands } from '../commands/index.js';
import { bashCompletion, fishCompletion, zshCompletion } from './completion.js';

/** Returns the completions that bash offers for these words. */
function offered(...words: string[]): string[] {
  const script = `${bashCompletion(commands)}
tributary() {
  case "$*" in
    'get streams -o csv') printf 'stream,partitions\\norders,4\\noffers,4\\n';;
    'get pipeline -o csv'|'get pipelines -o csv') printf 'name,status\\nbig_orders,running\\n$(echo harmful),running\\n';;
    *) echo 'The server does not answer.' >&2; return 1;;
  esac
}
COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); _tributary; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const out = execFileSync('bash', ['-c', script, 'bash', ...words], { encoding: 'utf8' });
  return out.split('\n').filter(Boolean);
}

describe('bash', () => {
  it.each([
    [['tributary', 'qu'], ['query']],
    [
      ['tributary', 'dead-letters', ''],
      ['list', 'replay'],
    ],
    [['tributary', 'dead-letters', 'replay', '--d'], ['--dry-run']],
    [
      ['tributary', 'get', 'p'],
      ['projections', 'pipelines'],
    ],
    [['tributary', 'query', '-o', 'j'], ['json']],
    [
      ['tributary', 'query', 'orders', '--order', ''],
      ['asc', 'desc'],
    ],
    [
      ['tributary', 'query', 'orders', 'o'],
      ['orders', 'offers'],
    ],
    [['tributary', 'erase', 'or'], ['orders']],
    [['tributary', 'erase', 'orders', 'or'], []],
    [['tributary', 'pause', 'pipeline', ''], ['big_orders']],
    [['tributary', 'get', 'pipelines', 'big'], ['big_orders']],
    [['tributary', 'get', 'projections', ''], []],
    [['tributary', 'get', 'pipelines', '$(touch', 'x'], []],
  ])('completes %j', (words, completions) => {
    expect(offered(...words)).toEqual(completions);
  });
});

describe.each([
  ['zsh', zshCompletion(commands)],
  ['fish', fishCompletion(commands)],
])('%s', (_, script) => {
  it('completes every command and option', () => {
    expect(script).toContain('TRIBUTARY_TIMEOUT_MS=2000 tributary get ');
    for (const { name, options = {} } of commands) {
      for (const word of name.split(' ')) expect(script).toContain(word);
      for (const option of Object.keys(options)) expect(script).toMatch(new RegExp(`(--|-l )${option}\\b`));
    }
  });
});
