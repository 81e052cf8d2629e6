import { members } from '../output/column.js';
import type { Command } from './command.js';

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
