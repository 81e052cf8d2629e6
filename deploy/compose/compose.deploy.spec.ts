import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { readComposeFile } from './compose-file.js';

const run = promisify(execFile);

it('the library of docker compose reads docker-compose.yml as intended', async () => {
  const { stdout } = await run(join('.tools', 'deploy', 'bin', 'compose'), ['docker-compose.yml']);
  const { services } = JSON.parse(stdout) as {
    services: Record<string, { image: string; command: string[] | null }>;
  };
  const ours = readComposeFile().services;
  expect(Object.keys(services).sort()).toEqual(Object.keys(ours).sort());
  for (const [name, { image, command }] of Object.entries(ours)) {
    expect(services[name]?.image).toBe(image);
    expect(services[name]?.command ?? undefined).toEqual(command);
  }
});
