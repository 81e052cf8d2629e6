import { isAbsolute, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InProcessCliRunner, jsonLines } from './in-process-cli-runner.js';

let cli: InProcessCliRunner;
beforeEach(async () => {
  cli = new InProcessCliRunner({});
  await add('https://a.example', '--protected');
});
afterEach(() => cli.remove());

const add = (url: string, ...more: string[]) => cli.run(['profile', 'add', 'prod', '--url', url, ...more]);
const kept = async () => jsonLines((await cli.run(['profile', 'list'])).stdout)[0];

describe('a protected profile', () => {
  it('remains protected when it is added again', async () => {
    expect((await add('https://b.example')).code).toBe(0);
    expect(await kept()).toMatchObject({ url: 'https://b.example', protected: true });
  });

  it('loses its protection only with a confirmation', async () => {
    const unconfirmed = await add('https://b.example', '--no-protected');
    expect([unconfirmed.code, unconfirmed.stderr]).toEqual([
      2,
      'tributary: The profile "prod" is protected. Confirm it: --confirm prod.\n',
    ]);
    expect(await kept()).toMatchObject({ url: 'https://a.example', protected: true });
    expect((await add('https://b.example', '--no-protected', '--confirm', 'prod')).code).toBe(0);
    expect(await kept()).toMatchObject({ url: 'https://b.example', protected: false });
  });

  it('is removed only with a confirmation', async () => {
    expect((await cli.run(['profile', 'remove', 'prod'])).code).toBe(2);
    expect(await kept()).toMatchObject({ name: 'prod' });
    expect((await cli.run(['profile', 'remove', 'prod', '--confirm', 'prod'])).code).toBe(0);
    expect(await kept()).toBeUndefined();
  });
});

describe('the key file of a profile', () => {
  it.each(['keys/prod', './prod', '../prod'])('%s is found from every folder', async (file) => {
    await add('https://b.example', '--key-file', file);

    const { key } = (await kept()) as { key: string };

    expect([isAbsolute(key), key]).toEqual([true, resolve(file)]);
  });
});
