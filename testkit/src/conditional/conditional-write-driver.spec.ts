import { describe, expect, it, onTestFinished } from 'vitest';
import { AttemptHistory } from './attempt-history.js';
import { checkVersions } from './check-versions.js';
import { ConditionalWriteDriver } from './conditional-write-driver.js';
import { FakeWriteServer, type FakeWriteServerFaults } from './fake-write-server.fixture.js';

/** Runs the driver against an in-memory server with the given faults. */
async function run(faults: Partial<FakeWriteServerFaults> = {}, attempts = 400) {
  const server = await FakeWriteServer.start(faults);
  const history = await AttemptHistory.open(3);
  onTestFinished(() => server.stop());
  const driver = new ConditionalWriteDriver({
    ...{ urls: () => [server.url], history, seed: 3, streams: ['s', 't'] },
    ...{ entities: 6, writers: 30, writesPerSecond: Infinity, giveUpAfterMs: 2_000 },
  }).start();
  while (driver.attempts < attempts) await driver.untilDecided(20, 5_000);
  await driver.stop();
  await history.discard();
  const findings = checkVersions(history.attempts, server.stored);
  return { driver, server, attempts: history.attempts, findings };
}
const kindsOf = async (faults: Partial<FakeWriteServerFaults>) => {
  const { findings } = await run(faults);
  return [...new Set(findings.map(({ kind }) => kind))];
};
const every = (count: number) => (n: number) => n % count === 0;
const some = every(20);

describe('ConditionalWriteDriver', () => {
  it('has about a third of its attempts refused, and repeats some events', async () => {
    const { driver, attempts, findings } = await run();
    expect(findings).toEqual([]);
    const { accepted, refused } = driver.decided;
    expect(refused / (accepted + refused)).toBeGreaterThan(0.15);
    expect(refused / (accepted + refused)).toBeLessThan(0.5);
    const [ids, repeated] = [new Set<string>(), new Set<string>()];
    for (const { event_id } of attempts) (ids.has(event_id) ? repeated : ids).add(event_id);
    expect(repeated.size).toBeGreaterThan(10);
    expect(attempts.some(({ expected }) => expected === null)).toBe(true);
    for (const outcome of ['accepted', 'refused'])
      expect(attempts.some((attempt) => attempt.group && attempt.outcome === outcome)).toBe(true);
    expect(driver.amounts.size).toBe(ids.size);
  });

  it('repeats what has no answer until it is known', async () => {
    const { findings, attempts, server } = await run({
      before: (n) => (some(n) ? 'hang up' : undefined),
      after: (n) => (every(7)(n) ? 504 : undefined),
    });
    expect(findings).toEqual([]);
    expect(attempts.filter(({ outcome }) => outcome === 'unknown').length).toBeGreaterThan(30);
    const ofStored = new Set(server.stored.map(({ event_id }) => event_id));
    const known = attempts.filter(({ outcome }) => outcome === 'accepted');
    expect(new Set(known.map(({ event_id }) => event_id))).toEqual(ofStored);
  });

  it('finds nothing wrong with a server that decides requests late, after their repetition', async () => {
    const { findings, attempts } = await run({ late: (n) => (some(n) ? 80 : undefined) });
    expect(findings).toEqual([]);
    expect(attempts.some(({ outcome }) => outcome === 'unknown')).toBe(true);
  });

  it('has a history that shows a server which accepts without a comparison', async () => {
    expect(await kindsOf({ blind: every(3) })).toContain('accepted without a reason');
  });

  it('has a history that shows a server which refuses what it should accept', async () => {
    expect(await kindsOf({ moody: some })).toContain('refused without a reason');
  });

  it('has a history that shows a server which decides the events of an atomic batch one by one', async () => {
    expect(await kindsOf({ divided: true })).toContain('half of a batch');
  });

  it('has a history that shows a server which forgets the ids of accepted events', async () => {
    expect(await kindsOf({ forgetful: true })).toContain('changed answer');
  });
});
