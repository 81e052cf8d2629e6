import { resolve } from 'node:path';
import { confirmProfileOption } from '../arguments/options.js';
import type { ParsedArguments } from '../arguments/parse.js';
import { requireUrl, requireUnprotection } from '../connection/connection.js';
import { UsageError } from '../errors/cli-error.js';
import { requireProfileName, type Profile } from '../profiles/profile-store.js';
import type { Command } from './command.js';
import { members } from '../output/formats.js';

export const profileAdd: Command = {
  name: 'profile add',
  summary: 'Saves a URL and the source of its key under a name, or changes them.',
  positionals: [{ name: 'NAME', about: 'name of the profile' }],
  options: {
    protected: { about: 'changes need an explicit --profile; destructive commands also need --confirm' },
    'no-protected': { about: 'remove the protection of the profile; needs --confirm NAME' },
    ...confirmProfileOption,
  },
  details:
    'Takes --url, --ingest-url, and --key-file or --key-command. The key itself is never saved. A protected profile remains protected.',
  effect: 'reads',
  async run(session, input) {
    const name = requireProfileName(input.word('NAME'));
    const url = input.text('url');
    if (url === undefined) throw new UsageError('--url URL is missing.');
    const ingest = input.text('ingest-url');
    const [key_file, key_command] = [input.text('key-file'), input.text('key-command')];
    const file = await session.profiles.read();
    const before = Object.hasOwn(file.profiles, name) ? file.profiles[name] : undefined;
    const profile: Profile = {
      url: requireUrl(url),
      ...(ingest !== undefined && { ingest_url: requireUrl(ingest) }),
      // Absolute: commands run in other folders.
      ...(key_file !== undefined && { key_file: resolve(key_file) }),
      ...(key_command !== undefined && { key_command }),
      ...(isProtected(name, before, input) && { protected: true }),
    };
    await session.profiles.write({ ...file, profiles: { ...file.profiles, [name]: profile } });
    session.report(`The profile "${name}" is saved in ${session.profiles.file}.`);
  },
};

/** Returns whether the profile will be protected. @throws UsageError if the protection ends without confirmation */
function isProtected(name: string, before: Profile | undefined, input: ParsedArguments): boolean {
  const [on, off] = [input.flag('protected'), input.flag('no-protected')];
  if (on && off) throw new UsageError('--protected and --no-protected exclude each other.');
  if (off && before?.protected) requireUnprotection(name, input.text('confirm'));
  return on || (!off && before?.protected === true);
}

export const profileUse: Command = {
  name: 'profile use',
  summary: 'Selects the profile for commands that name none.',
  positionals: [{ name: 'NAME', about: 'name of the profile' }],
  effect: 'reads',
  async run(session, input) {
    const name = input.word('NAME');
    const { url } = await session.profiles.get(name);
    await session.profiles.write({ ...(await session.profiles.read()), current: name });
    session.report(`Commands now use ${url}.`);
  },
};

export const profileClear: Command = {
  name: 'profile clear',
  summary: 'Selects no profile; saved profiles remain.',
  effect: 'reads',
  async run(session) {
    const { profiles } = await session.profiles.read();
    await session.profiles.write({ profiles });
    session.report('Commands now use the ports of this machine.');
  },
};

export const profileList: Command = {
  name: 'profile list',
  summary: 'Shows the profiles.',
  effect: 'reads',
  async run(session) {
    const { current, profiles } = await session.profiles.read();
    const rows = Object.entries(profiles).map(([name, profile]) => ({
      ...{ name, current: name === current, url: profile.url, ingest_url: profile.ingest_url ?? null },
      key: profile.key_command ? 'command' : (profile.key_file ?? null),
      protected: profile.protected === true,
    }));
    await session.output.list(rows, members('name', 'current', 'url', 'ingest_url', 'key', 'protected'));
  },
};

export const profileRemove: Command = {
  name: 'profile remove',
  summary: 'Removes a profile. A protected one needs --confirm NAME.',
  positionals: [{ name: 'NAME', about: 'name of the profile' }],
  options: confirmProfileOption,
  effect: 'reads',
  async run(session, input) {
    const name = input.word('NAME');
    const { protected: guarded } = await session.profiles.get(name);
    if (guarded) requireUnprotection(name, input.text('confirm'));
    const { current, profiles } = await session.profiles.read();
    const { [name]: _, ...rest } = profiles;
    await session.profiles.write({ ...(current !== name && { current }), profiles: rest });
    session.report(`The profile "${name}" is removed.`);
  },
};
