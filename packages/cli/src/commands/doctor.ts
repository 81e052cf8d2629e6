import { runChecks } from '../doctor/examine.js';
import { runScrub } from '../doctor/scrub.js';
import type { CheckResult } from '../doctor/findings.js';
import { exitCodes } from '../errors/exit-code.js';
import { members } from '../output/formats.js';
import type { Command } from './command.js';

export const doctor: Command = {
  name: 'doctor',
  summary: 'Checks URLs, clocks, versions, the key and lag, and recommends actions.',
  details:
    'Exits with 1 if something is wrong; a warning, such as events that --scrub had to insert again, does not count. It changes nothing, except that --scrub inserts again what ClickHouse has lost. ' +
    'A scrub needs a key with the scope admin.',
  options: { scrub: { about: 'compare every event of Kafka with ClickHouse, and repair ClickHouse' } },
  effect: 'reads',
  answersWithCode: true,
  async run(session, input) {
    const connection = await session.connection();
    // The port for events may need no key, so the scopes of the key are checked at the other port.
    const client = await session.client({ ingestUrl: connection.url });
    const { signal } = session;
    let sick = false;
    async function* all(): AsyncGenerator<CheckResult> {
      yield* runChecks({ client, connection, fetch: session.fetch(), signal });
      if (input.flag('scrub')) yield* runScrub({ client, signal, report: (line) => session.report(line) });
    }
    async function* findings(): AsyncGenerator<CheckResult> {
      for await (const finding of all()) {
        sick ||= finding.verdict === 'wrong';
        yield finding;
      }
    }
    await session.output.list(findings(), members('check', 'verdict', 'detail', 'advice'));
    return sick ? exitCodes.differs : exitCodes.done;
  },
};
