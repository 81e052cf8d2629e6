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

  it('is made once, and stays the same', async () => {
    const key = await folderApiKey(folder);
    expect(await folderApiKey(folder)).toBe(key);
    expect((await readFile(join(folder, 'api-key'), 'utf8')).trim()).toBe(key);
  });

  it('is readable by its owner alone', async () => {
    await folderApiKey(folder);
    expect((await stat(join(folder, 'api-key'))).mode & 0o777).toBe(0o600);
  });

  it('is made anew when the file holds something else', async () => {
    await writeFile(join(folder, 'api-key'), 'trb_half');
    expect(keyIdOf(await folderApiKey(folder))).toBeDefined();
  });

  it('is one that the gateway recognizes, and its setting is one that the gateway accepts', () => {
    const key = makeApiKey();
    expect(keyIdOf(key)).toBe(apiKeySetting(key).split(':')[0]);
    expect(apiKeySetting(key)).not.toContain(key.split('_')[2]);
    const ring = new ConfiguredKeyRing([apiKeySetting(key)]);
    expect(authenticate(key, ring, Date.now()).keyId).toBe(keyIdOf(key));
  });

  it('may do everything: with it the other keys are issued', () => {
    const key = makeApiKey();
    const ring = new ConfiguredKeyRing([apiKeySetting(key)]);
    expect(ring.find(keyIdOf(key) ?? '')).toMatchObject({ scopes: new Set(scopes) });
    expect(ring.find(keyIdOf(key) ?? '')).not.toHaveProperty('streams');
  });
});
