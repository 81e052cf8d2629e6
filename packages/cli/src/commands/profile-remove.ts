import type { Command } from './command.js';

export const profileRemove: Command = {
  name: 'profile remove',
  summary: 'Forgets a profile.',
  positionals: [{ name: 'NAME', about: 'name of the profile' }],
  effect: 'reads',
  async run(session, input) {
    const name = input.word('NAME');
    await session.profiles.get(name);
    const { current, profiles } = await session.profiles.read();
    const { [name]: _, ...rest } = profiles;
    await session.profiles.write({ ...(current !== name && { current }), profiles: rest });
    session.report(`The profile "${name}" is forgotten.`);
  },
};
