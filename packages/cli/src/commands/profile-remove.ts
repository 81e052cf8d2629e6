import { confirmProfileOption } from '../arguments/global-options.js';
import { requireUnprotection } from '../connection/protection.js';
import type { Command } from './command.js';

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
