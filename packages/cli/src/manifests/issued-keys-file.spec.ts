import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IssuedKeysFile } from './issued-keys-file.js';

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'tributary-keys-'))));
afterAll(() => rmSync(folder, { recursive: true }));

describe('the file for keys', () => {
  it('has one key per line, is private, and is never overwritten', async () => {
    const file = join(folder, 'keys');
    const keys = await IssuedKeysFile.create(file);
    await keys.add({ name: 'a', key_id: 'i', key: 'trb_x' });
    await keys.close();
    expect(readFileSync(file, 'utf8')).toBe('{"name":"a","key_id":"i","key":"trb_x"}\n');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await expect(IssuedKeysFile.create(file)).rejects.toThrow('EEXIST');
  });

  it('is removed if no key was issued, so that the command can be repeated', async () => {
    const file = join(folder, 'none');
    await (await IssuedKeysFile.create(file)).close();
    expect(existsSync(file)).toBe(false);
    await (await IssuedKeysFile.create(file)).close();
  });
});
