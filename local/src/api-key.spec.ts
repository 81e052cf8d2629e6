import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { authenticate, ConfiguredKeyRing, keyIdOf, scopes } from '#http';
import { apiKeySetting, folderApiKey, makeApiKey } from './api-key.js';

describe('the API key of a data folder', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-key-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('is created once and does not change', async () => {
    const key = await folderApiKey(folder);
    expect(await folderApiKey(folder)).toBe(key);
    expect((await readFile(join(folder, 'api-key'), 'utf8')).trim()).toBe(key);
  });

  it('is readable only by its owner', async () => {
    await folderApiKey(folder);
    expect((await stat(join(folder, 'api-key'))).mode & 0o777).toBe(0o600);
  });

  it('is replaced when the file does not contain a valid key', async () => {
    await writeFile(join(folder, 'api-key'), 'trb_half');
    expect(keyIdOf(await folderApiKey(folder))).toBeDefined();
  });

  it('is recognized by the gateway, which also accepts its setting', () => {
    const key = makeApiKey();
    expect(keyIdOf(key)).toBe(apiKeySetting(key).split(':')[0]);
    expect(apiKeySetting(key)).not.toContain(key.split('_')[2]);
    const ring = new ConfiguredKeyRing([apiKeySetting(key)]);
    expect(authenticate(key, ring, Date.now()).keyId).toBe(keyIdOf(key));
  });

  it('has every scope, so it can issue other keys', () => {
    const key = makeApiKey();
    const ring = new ConfiguredKeyRing([apiKeySetting(key)]);
    expect(ring.find(keyIdOf(key) ?? '')).toMatchObject({ scopes: new Set(scopes) });
    expect(ring.find(keyIdOf(key) ?? '')).not.toHaveProperty('streams');
  });
});
