import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ParsedArguments } from '../arguments/parse.js';
import { ProfileStore } from '../profiles/profile-store.js';
import { connectionOf, requireConfirmed, requireSpelledOut } from './connection.js';
import { readKey } from './key.js';

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tributary-connection-'));
  const prod = { url: 'https://prod.example', key_command: 'echo prod-key', protected: true };
  const test = { url: 'http://test.example', ingest_url: 'http://test.example:3901' };
  await new ProfileStore({ XDG_CONFIG_HOME: folder }).write({ current: 'test', profiles: { prod, test } });
});
afterAll(() => rmSync(folder, { recursive: true }));

const connect = (
  options: Record<string, string | undefined>,
  env: Record<string, string | undefined> = {},
) => {
  const own = { XDG_CONFIG_HOME: folder, ...env };
  return connectionOf({
    input: new ParsedArguments(new Map(), options),
    env: own,
    profiles: new ProfileStore(own),
  });
};

describe('the connection of a command', () => {
  it.each([
    { what: 'the profile in use', url: 'http://test.example' },
    { what: 'another profile', options: { profile: 'prod' }, url: 'https://prod.example' },
    { what: 'a profile of the environment', env: { TRIBUTARY_PROFILE: 'prod' }, url: 'https://prod.example' },
    { what: 'an address', options: { url: 'http://x' }, env: { TRIBUTARY_PROFILE: 'prod' }, url: 'http://x' },
    { what: 'an address of the environment', env: { TRIBUTARY_URL: 'http://env' }, url: 'http://env' },
    {
      what: 'a profile first',
      options: { profile: 'prod' },
      env: { TRIBUTARY_URL: 'x' },
      url: 'https://prod.example',
    },
    { what: 'this machine', env: { XDG_CONFIG_HOME: '/nowhere' }, url: 'http://127.0.0.1:3902' },
  ])('$what', async ({ options, env, url }) => {
    expect(await connect(options ?? {}, env)).toMatchObject({ url });
  });

  it('events are sent to the URL for events, or to the same URL', async () => {
    expect((await connect({})).ingestUrl).toBe('http://test.example:3901');
    expect((await connect({ profile: 'prod' })).ingestUrl).toBe('https://prod.example');
    expect((await connect({}, { XDG_CONFIG_HOME: '/nowhere' })).ingestUrl).toBe('http://127.0.0.1:3901');
  });

  it('the key of a profile is sent to no other URL, and the key of the environment is not sent to a profile with a key', async () => {
    const env = { TRIBUTARY_KEY: 'env-key' };
    expect(await (await connect({ profile: 'prod' }, env)).key()).toBe('prod-key');
    expect(await (await connect({ profile: 'test' }, env)).key()).toBe('env-key');
    expect(
      await (await connect({ url: 'http://other' }, { TRIBUTARY_PROFILE: 'prod' })).key(),
    ).toBeUndefined();
  });

  it('a relative key file in the file of profiles is relative to its folder', async () => {
    const env = { TRIBUTARY_CONFIG: join(folder, 'shared', 'profiles.json') };
    const beside = { url: 'http://beside.example', key_file: 'beside.key' };
    await new ProfileStore(env).write({ current: 'beside', profiles: { beside } });
    writeFileSync(join(folder, 'shared', 'beside.key'), 'beside-key', { mode: 0o600 });

    expect(await (await connect({}, env)).key()).toBe('beside-key');
  });

  it.each([
    { what: 'a profile without one', options: { profile: 'prod' }, ingestUrl: 'https://prod.example' },
    { what: 'a profile with one', options: { profile: 'test' }, ingestUrl: 'http://test.example:3901' },
    { what: 'an address', options: { url: 'http://x' }, ingestUrl: 'http://x' },
    {
      what: 'two addresses',
      options: { url: 'http://x', 'ingest-url': 'http://y' },
      ingestUrl: 'http://y',
    },
    { what: 'this machine', env: { XDG_CONFIG_HOME: '/nowhere' }, ingestUrl: 'http://127.0.0.1:3901' },
    { what: 'the environment', env: { TRIBUTARY_URL: 'http://env' }, ingestUrl: 'http://left-over' },
  ])(
    'the URL for events has the same source as the URL of the API: $what',
    async ({ options, env, ingestUrl }) => {
      const leftOver = { TRIBUTARY_INGEST_URL: 'http://left-over', ...env };
      expect((await connect(options ?? {}, leftOver)).ingestUrl).toBe(ingestUrl);
    },
  );

  it.each([
    [{ profile: 'prod', 'ingest-url': 'http://other' }, 'leave --ingest-url out'],
    [{ 'ingest-url': 'http://other' }, 'The profile "test" has its own URL for events'],
    [{ url: '' }, '"" is not a URL'],
    [{ url: 'ftp://x' }, '"ftp://x" is not a URL'],
    [{ url: 'http://user:secret@x' }, 'must not contain a user or a password'],
    [{ url: 'http://x', profile: 'prod' }, 'exclude each other'],
    [{ profile: 'nobody' }, 'There is no profile "nobody".'],
  ])('%j is refused', async (options, message) => {
    await expect(connect(options)).rejects.toThrow(message);
  });
});

describe('a protected profile', () => {
  it('must be named explicitly for a change', async () => {
    requireSpelledOut(await connect({ profile: 'prod' }));
    requireSpelledOut(await connect({}));
    const implied = await connect({}, { TRIBUTARY_PROFILE: 'prod' });
    expect(() => requireSpelledOut(implied)).toThrow('--profile prod');
  });

  it('requires a confirmation before something is destroyed', () => {
    requireConfirmed('orders', 'orders');
    expect(() => requireConfirmed('orders', 'order')).toThrow(
      '--confirm orders. The value of --confirm is "order".',
    );
  });
});

describe('a key', () => {
  it('is read from a file that other users cannot read', async () => {
    const file = join(folder, 'key');
    writeFileSync(file, 'trb_x\n', { mode: 0o600 });
    expect(await readKey({ file })).toBe('trb_x');
    chmodSync(file, 0o640);
    await expect(readKey({ file })).rejects.toThrow(`chmod 600 '${file}'`);
  });

  it('is read from the file that --keys-to has written for one key, and not for several', async () => {
    const file = join(folder, 'issued.key');
    const line = (key: string) => `${JSON.stringify({ name: 'shop', key_id: 'id', key })}\n`;
    writeFileSync(file, line('trb_z'), { mode: 0o600 });
    expect(await readKey({ file })).toBe('trb_z');
    writeFileSync(file, line('trb_z') + line('trb_w'));
    await expect(readKey({ file })).rejects.toThrow(
      /does not contain an API key: a key is one word, or the only line/,
    );
  });

  it('is read from the output of a command', async () => {
    expect(await readKey({ command: 'echo trb_y' })).toBe('trb_y');
    await expect(readKey({ command: 'echo no >&2; exit 3' })).rejects.toThrow(
      'The key command failed (3): no',
    );
  });

  it('is one word, and never part of the error', async () => {
    await expect(readKey({ value: 'two words' })).rejects.toThrow(
      'TRIBUTARY_KEY does not contain an API key',
    );
  });
});
