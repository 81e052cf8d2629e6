import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const apps = ['ingest', 'materializer', 'processor', 'gateway'] as const;

/** Runs an app with these settings until it ends by itself. */
function run(app: string, env: Record<string, string>, ...args: string[]) {
  const main = join(process.cwd(), 'dist', 'apps', app, 'src', 'main.js');
  return new Promise<{ code: number | null; output: string }>((resolve) => {
    const options = { env: { PATH: process.env.PATH, ...env }, timeout: 50_000 };
    const child = execFile(process.execPath, [main, ...args], options, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, output: stdout + stderr }),
    );
  });
}

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

  it('ends the app if it is invalid, and names every invalid setting', async () => {
    const env = { KAFKA_BROKERS: 'nowhere', SHUTDOWN_SECONDS: 'soon', CLICKHOUSE_DATABASE: 'a b' };
    for (const args of [['--check-config'], []]) {
      const { code, output } = await run(app, env, ...args);
      expect(code, output).toBeGreaterThan(0);
      for (const name of Object.keys(env)) expect(output).toContain(name);
    }
  });

  it('is not ignored if the argument is misspelt: the app does not run', async () => {
    const { code, output } = await run(app, {}, '--chek-config');
    expect(code, output).toBe(64);
    expect(output).toMatch(/Unknown argument: "--chek-config"\nUsage: .*--check-config/);
    expect(await run(app, {}, '--help')).toMatchObject({ code: 0 });
  });
});
