import type { Command } from './command.js';

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
