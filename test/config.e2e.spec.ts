import { execFile } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { appProgram } from '#local';

const apps = ['ingest', 'materializer', 'processor', 'gateway'] as const;

/** Runs an app with these settings until it ends by itself. */
function run(app: string, env: Record<string, string>, ...args: string[]) {
  return new Promise<{ code: number | null; output: string }>((resolve) => {
    const options = { env: { PATH: process.env.PATH, ...env }, timeout: 50_000 };
    const child = execFile(process.execPath, [appProgram(app), ...args], options, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, output: stdout + stderr }),
    );
  });
}

const wrong = { KAFKA_BROKERS: 'nowhere', SHUTDOWN_SECONDS: 'soon', CLICKHOUSE_DATABASE: 'a b' };

describe.each(apps)('the configuration of %s', (app) => {
  it('can be checked and printed without secrets, and then the app ends', async () => {
    const env = {
      KAFKA_TOPIC_PREFIX: 'mine.',
      CLICKHOUSE_PASSWORD: 'hush-hush',
      KAFKA_SASL_MECHANISM: 'plain',
      KAFKA_SASL_USERNAME: 'writer',
      KAFKA_SASL_PASSWORD: 'hush-hush',
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=hush-hush',
    };
    const { code, output } = await run(app, env, '--check-config');
    expect(code, output).toBe(0);
    expect(output).toContain('mine.');
    expect(output).not.toContain('hush-hush');
  });

  it('stops the app when it is wrong, and names every wrong setting', async () => {
    const { code, output } = await run(app, wrong);
    expect(code, output).toBeGreaterThan(0);
    for (const name of Object.keys(wrong)) expect(output).toContain(name);
  });
});

// What starts an app reads its arguments, and is the same for all.
describe('the arguments of an app', () => {
  it('when they ask for a check of settings that are wrong, it ends with what is wrong', async () => {
    const { code, output } = await run('ingest', wrong, '--check-config');
    expect(code, output).toBeGreaterThan(0);
    for (const name of Object.keys(wrong)) expect(output).toContain(name);
  });

  it('when one is misspelt, the app does not run', async () => {
    const { code, output } = await run('ingest', {}, '--chek-config');
    expect(code, output).toBe(64);
    expect(output).toMatch(/Unknown argument: "--chek-config"\nUsage: .*--check-config/);
  });

  it('when they ask for help, they are explained', async () => {
    expect(await run('ingest', {}, '--help')).toMatchObject({ code: 0 });
  });
});
