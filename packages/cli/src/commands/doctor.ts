import { runChecks } from '../doctor/examine.js';
import type { CheckResult } from '../doctor/findings.js';
import { exitCodes } from '../errors/exit-code.js';
import { members } from '../output/formats.js';
import type { Command } from './command.js';

export const doctor: Command = {
  name: 'doctor',
  summary: 'Checks URLs, clocks, versions, the key and lag, and recommends actions.',
  details: 'Exits with 1 if it finds a problem. It changes nothing.',
  effect: 'reads',
  answersWithCode: true,
  async run(session) {
    const connection = await session.connection();
    // The port for events may need no key, so the scopes of the key are checked at the other port.
    const client = await session.client({ ingestUrl: connection.url });
    const { signal } = session;
    let sick = false;
    async function* findings(): AsyncGenerator<CheckResult> {
      for await (const finding of runChecks({ client, connection, fetch: session.fetch(), signal })) {
        sick ||= finding.verdict === 'wrong';
        yield finding;
      }
    }
    await session.output.list(findings(), members('check', 'verdict', 'detail', 'advice'));
    return sick ? exitCodes.differs : exitCodes.done;
  },
};
