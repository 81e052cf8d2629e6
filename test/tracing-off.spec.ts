import { execFile } from 'node:child_process';
import { expect, it } from 'vitest';

/**
 * Loads the modules that every app loads, opens tracing with these settings, and prints the loaded packages of
 * OpenTelemetry.
 */
const program = `
  import { createRequire } from 'node:module';
  import { pathToFileURL } from 'node:url';
  const dist = (path) => import(pathToFileURL(process.cwd() + '/dist/' + path).href);
  for (const app of ['ingest', 'gateway', 'materializer', 'processor']) await dist('apps/' + app + '/src/start.js');
  const { AppConfig, loadConfig } = await dist('libs/core/api/index.js');
  const { openTracing } = await dist('libs/core/telemetry/index.js');
  const config = loadConfig(AppConfig, process.env);
  await openTracing({ name: 'ingest', version: '1', config, logger: console });
  const loaded = Object.keys(createRequire(process.cwd() + '/package.json').cache);
  const names = loaded.flatMap((path) => /@opentelemetry[/\\\\\\\\]([\\w-]+)/.exec(path)?.[1] ?? []);
  process.stdout.write(JSON.stringify([...new Set(names)]), () => process.exit(0));
`;

function loadedWith(env: Record<string, string>): Promise<string[]> {
  const options = { env: { PATH: process.env.PATH, ...env }, cwd: process.cwd() };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, ['--input-type=module', '-e', program], options, (error, stdout) => {
      if (error) reject(new Error('the program failed', { cause: error }));
      else resolve(JSON.parse(stdout) as string[]);
    });
  });
}

it('loads the SDK of OpenTelemetry only if tracing is on', async () => {
  const [off, on] = await Promise.all([
    loadedWith({}),
    loadedWith({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }),
  ]);
  expect(on).toEqual(expect.arrayContaining(['sdk-trace', 'resources', 'exporter-trace-otlp-proto']));
  // The library for metrics loads the API.
  expect(off.filter((name) => name !== 'api')).toEqual([]);
});
