import type { Command } from './command.js';

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
