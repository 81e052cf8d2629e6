import { confirmProfileOption } from '../arguments/global-options.js';
import type { Input } from '../arguments/input.js';
import { requireUrl } from '../connection/connection.js';
import { requireUnprotection } from '../connection/protection.js';
import { UsageError } from '../errors/cli-error.js';
import { requireProfileName } from '../profiles/profile-name.js';
import type { Profile } from '../profiles/profile.js';
import type { Command } from './command.js';

export const profileAdd: Command = {
  name: 'profile add',
  summary: 'Keeps an address and where its key is under a name, or changes what is kept.',
  positionals: [{ name: 'NAME', about: 'name of the profile' }],
  options: {
    protected: { about: 'changes need --profile spelled out; what destroys something needs --confirm too' },
    'no-protected': { about: 'end the protection that the profile has; needs --confirm NAME' },
    ...confirmProfileOption,
  },
  details:
    'Takes --url, --ingest-url, and --key-file or --key-command. The key itself is never kept. A protected profile stays protected.',
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
      ...(key_file !== undefined && { key_file }),
      ...(key_command !== undefined && { key_command }),
      ...(isProtected(name, before, input) && { protected: true }),
    };
    await session.profiles.write({ ...file, profiles: { ...file.profiles, [name]: profile } });
    session.report(`The profile "${name}" is kept in ${session.profiles.file}.`);
  },
};

/** @throws UsageError where the protection ends and the profile is not named once more */
function isProtected(name: string, before: Profile | undefined, input: Input): boolean {
  const [on, off] = [input.flag('protected'), input.flag('no-protected')];
  if (on && off) throw new UsageError('--protected and --no-protected exclude each other.');
  if (off && before?.protected) requireUnprotection(name, input.text('confirm'));
  return on || (!off && before?.protected === true);
}
