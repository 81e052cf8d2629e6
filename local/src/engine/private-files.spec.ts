import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkFolder } from '../preflight.js';
import { privateFolder, storedSecret } from './private-files.js';

let parent: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'tributary-private-'));
});
afterEach(() => rm(parent, { recursive: true, force: true }));
const mode = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

describe.each([
  ['a private folder', privateFolder],
  ['the data folder that is checked before a start', checkFolder],
])('%s', (_name, prepare) => {
  it('when the folder does not exist, then it is created for its owner only', async () => {
    await prepare(join(parent, 'a', 'b'));
    expect(await mode(join(parent, 'a', 'b'))).toBe('700');
  });

  it.each([0o755, 0o750, 0o777])(
    'when the folder is open to others (%o), then it is closed',
    async (open) => {
      const folder = join(parent, 'data');
      await mkdir(folder);
      await chmod(folder, open);
      await prepare(folder);
      expect(await mode(folder)).toBe('700');
    },
  );
});

it('a shared folder with other files is refused as data folder, and remains open', async () => {
  await chmod(parent, 0o755);
  await writeFile(join(parent, 'letter.txt'), 'x');
  await expect(checkFolder(parent)).rejects.toThrow(/letter\.txt.*TRIBUTARY_DATA_DIR/);
  expect(await mode(parent)).toBe('755');
});

it('an older data folder of Tributary that is open to others is closed', async () => {
  await chmod(parent, 0o755);
  for (const name of ['api-key', 'lock.3', 'processes.json']) await writeFile(join(parent, name), 'x');
  await mkdir(join(parent, 'kafka'));
  await checkFolder(parent);
  expect(await mode(parent)).toBe('700');
});

describe('a secret in a file', () => {
  it('is created once, and readable only by its owner', async () => {
    const file = join(parent, 'password');
    const secret = await storedSecret(file);
    expect(secret).toMatch(/^[\w-]{32}$/);
    expect([await storedSecret(file), await mode(file)]).toEqual([secret, '600']);
  });

  it('differs for each file, and replaces an incomplete secret', async () => {
    await writeFile(join(parent, 'half'), 'abc');
    const secrets = [await storedSecret(join(parent, 'one')), await storedSecret(join(parent, 'half'))];
    expect(new Set([...secrets, 'abc']).size).toBe(3);
  });
});
