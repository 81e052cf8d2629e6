import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { globalOptions } from '../arguments/options.js';
import { optionsOf } from '../arguments/parse.js';
import { reference, usageOf } from '../arguments/usage.js';
import { version } from '../version.js';
import { commands } from './index.js';

describe('the table of commands', () => {
  it('matches the README', () => {
    const readme = readFileSync('packages/cli/README.md', 'utf8');
    const listed = /<!-- commands -->\n\n([\s\S]*?)\n<!-- end of commands -->/.exec(readme)?.[1];
    const unwrapped = (text = '') => text.replaceAll(/\n {2,}/g, ' ');
    expect(unwrapped(listed)).toBe(reference(commands));
  });

  it.each(commands.map((command) => [command.name, command] as const))(
    '%s: the help names each option',
    (_, command) => {
      const help = usageOf(command);
      for (const name of Object.keys(optionsOf(command))) expect(help).toContain(`--${name}`);
      expect(command.summary).toMatch(/^[A-Z].*\.$/);
    },
  );

  it('has unique names and short names', () => {
    expect(new Set(commands.map(({ name }) => name)).size).toBe(commands.length);
    for (const command of commands) {
      for (const name of Object.keys(command.options ?? {})) expect(globalOptions).not.toHaveProperty([name]);
      const short = Object.values(optionsOf(command)).flatMap((option) => option.short ?? []);
      expect(new Set(short).size).toBe(short.length);
    }
  });

  it('has no argument for a key', () => {
    const names = commands.flatMap((command) => Object.keys(optionsOf(command)));
    expect(names.filter((name) => /^(api-?)?key$|token|secret|password/.test(name))).toEqual([]);
  });
});

it('the version is the version of the package', () => {
  expect(version).toBe(
    (JSON.parse(readFileSync('packages/cli/package.json', 'utf8')) as { version: string }).version,
  );
});
