import { requireUrl } from '../connection/connection.js';
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
  },
  details: 'Takes --url, --ingest-url, and --key-file or --key-command. The key itself is never kept.',
  effect: 'reads',
  async run(session, input) {
    const name = requireProfileName(input.word('NAME'));
    const url = input.text('url');
    if (url === undefined) throw new UsageError('--url URL is missing.');
    const ingest = input.text('ingest-url');
    const [key_file, key_command] = [input.text('key-file'), input.text('key-command')];
    const profile: Profile = {
      url: requireUrl(url),
      ...(ingest !== undefined && { ingest_url: requireUrl(ingest) }),
      ...(key_file !== undefined && { key_file }),
      ...(key_command !== undefined && { key_command }),
      ...(input.flag('protected') && { protected: true }),
    };
    const file = await session.profiles.read();
    await session.profiles.write({ ...file, profiles: { ...file.profiles, [name]: profile } });
    session.report(`The profile "${name}" is kept in ${session.profiles.file}.`);
  },
};
