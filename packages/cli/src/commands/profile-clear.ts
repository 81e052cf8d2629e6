import type { Command } from './command.js';

export const profileClear: Command = {
  name: 'profile clear',
  summary: 'Uses no profile any more; those that are kept stay.',
  effect: 'reads',
  async run(session) {
    const { profiles } = await session.profiles.read();
    await session.profiles.write({ profiles });
    session.report('Commands go to the ports of this machine now.');
  },
};
