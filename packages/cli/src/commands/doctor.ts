import { examine } from '../doctor/examine.js';
import type { Finding } from '../doctor/finding.js';
import { exitCodes } from '../errors/exit-code.js';
import { members } from '../output/column.js';
import type { Command } from './command.js';

export const doctor: Command = {
  name: 'doctor',
  summary: 'Checks addresses, clocks, versions, the key and lag, and says what to do.',
  details: 'The exit code is 1 where something is wrong. It changes nothing.',
  effect: 'reads',
  answersWithCode: true,
  async run(session) {
    const connection = await session.connection();
    // The port for events may ask for no key: what the key may do is asked of the other one.
    const client = await session.client({ ingestUrl: connection.url });
    const { signal } = session;
    let sick = false;
    async function* findings(): AsyncGenerator<Finding> {
      for await (const finding of examine({ client, connection, fetch: session.fetch(), signal })) {
        sick ||= finding.verdict === 'wrong';
        yield finding;
      }
    }
    await session.output.list(findings(), members('check', 'verdict', 'detail', 'advice'));
    return sick ? exitCodes.differs : exitCodes.done;
  },
};
