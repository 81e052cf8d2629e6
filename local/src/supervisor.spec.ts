import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { ManagedChildProcess, type RunningProcess } from './engine/engine-process.js';
import { identify, isRunning } from './process-identity.js';
import { ProcessSupervisor, type SupervisedService } from './supervisor.js';

const supervisors: ProcessSupervisor[] = [];
afterEach(() => Promise.all(supervisors.splice(0).map((one) => one.killAll())));

/** A real process that prints `ready` and then runs the script. */
function service(
  name: string,
  script: string,
  ready = `console.log('ready')`,
): SupervisedService & { pids: number[] } {
  const lines: string[] = [];
  const pids: number[] = [];
  const start = async (signal: AbortSignal): Promise<RunningProcess> => {
    const child = new ManagedChildProcess({
      name,
      command: process.execPath,
      args: ['-e', `${ready}; ${script}`],
      onLog: (line) => lines.push(line),
      signal,
    });
    await child.ready((line) => line === 'ready', 10_000);
    pids.push(child.pid);
    return { pid: child.pid, ended: child.ended, stop: () => child.stop(2_000), kill: (s) => child.kill(s) };
  };
  return { name, start, tail: () => lines, pids };
}

function supervisor(): { supervisor: ProcessSupervisor; said: string[]; gaveUp: string[] } {
  const [said, gaveUp]: [string[], string[]] = [[], []];
  const one = new ProcessSupervisor({
    say: (line) => said.push(line),
    giveUp: (reason) => gaveUp.push(reason),
    pauseMs: 10,
  });
  supervisors.push(one);
  return { supervisor: one, said, gaveUp };
}

const forEver = 'setInterval(() => {}, 1000)';

describe('a service under the supervisor', () => {
  it('is restarted when it is killed, and its last lines are shown', async () => {
    const { supervisor: one, said } = supervisor();
    const app = service('app', `console.log('my last words'); ${forEver}`);
    await one.run(app);
    await expect.poll(() => app.tail()).toContain('my last words');
    process.kill(app.pids[0] ?? 0, 'SIGKILL');
    await expect.poll(() => app.pids.length).toBe(2);
    expect(said.join('\n')).toMatch(
      /app died: it was ended by SIGKILL[\s\S]*my last words[\s\S]*started again/,
    );
    expect(one.pids).toEqual([app.pids[1]]);
  });

  it('is given up with the reason when it dies three times within a minute', async () => {
    const { supervisor: one, gaveUp, said } = supervisor();
    const app = service('app', 'setTimeout(() => process.exit(3), 20)');
    await one.run(app);
    await expect.poll(() => gaveUp).toEqual(['app died 3 times within 60 seconds']);
    expect(said.join('\n')).toContain('app died: it ended with exit code 3.');
    await sleep(100);
    expect(app.pids).toHaveLength(3);
  });

  it('is not restarted after it was stopped', async () => {
    const { supervisor: one, said } = supervisor();
    const app = service('app', forEver);
    await one.run(app);
    one.beginStopping();
    await one.stop('app');
    await sleep(100);
    expect([app.pids.length, one.pids, said]).toEqual([1, [], []]);
  });

  it('is not reported as dead after an intended restart', async () => {
    const { supervisor: one, said, gaveUp } = supervisor();
    const app = service('app', forEver);
    await one.run(app);
    for (let i = 0; i < 3; i++) await one.restart('app');
    expect([app.pids.length, said, gaveUp]).toEqual([4, [], []]);
  });

  it('fails with its output when the first start fails', async () => {
    const { supervisor: one } = supervisor();
    const broken = service('broken', '');
    const start = (): Promise<RunningProcess> => {
      const args = ['-e', "console.error('the disk is on fire'); process.exit(1)"];
      const child = new ManagedChildProcess({ name: 'broken', command: process.execPath, args });
      return child.ready(() => false, 10_000).then(() => Promise.reject(new Error('unreachable')));
    };
    await expect(one.run({ ...broken, start })).rejects.toThrow(
      /broken ended before[\s\S]*the disk is on fire/,
    );
  });

  it('can be stopped during its start', async () => {
    const { supervisor: one, said } = supervisor();
    const app = service('app', forEver, `console.log('pid ' + process.pid)`);
    const started = one.run(app).then(
      () => 'it runs',
      (error: Error) => error.message,
    );
    await expect.poll(() => app.tail()).toHaveLength(1);
    const identity = await identify(Number(app.tail()[0]?.slice(4)));
    one.beginStopping();
    await one.stop('app');
    expect(identity && (await isRunning(identity))).toBe(false);
    expect(await started).toMatch(/^app was stopped before it was ready/);
    expect(said).toEqual([]);
  });
});
