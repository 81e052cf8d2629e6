import { spawnSync } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { root } from './kafka/jars.js';

describe('npm start on a machine without its tools', () => {
  let bin: string;
  beforeEach(async () => {
    bin = await mkdtemp(join(tmpdir(), 'tributary-tools-'));
  });
  afterEach(() => rm(bin, { recursive: true, force: true }));
  const provide = async (tool: string, script: string): Promise<void> => {
    await writeFile(join(bin, tool), `#!/bin/sh\n${script}\n`);
    await chmod(join(bin, tool), 0o755);
  };
  const run = (...args: string[]) => {
    const env = { PATH: bin, TRIBUTARY_DATA_DIR: join(bin, 'data') };
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: root,
      env,
      encoding: 'utf8',
    });
    return { status, stdout, stderr };
  };
  const says = (message: RegExp) => ({ status: 1, stderr: expect.stringMatching(message) as string });

  it('reports that Java is missing, and the alternative', () => {
    expect(run('local/start.mjs')).toMatchObject(
      says(/^\nJava was not found\. .*Java 17 or newer.*KAFKA_BROKERS=host:port npm start\n\n$/),
    );
  });

  it.each([
    [
      'only stands in for one, as on macOS',
      'echo "Unable to locate a Java Runtime." >&2; exit 1',
      /does not run/,
    ],
    ['is too old', `echo 'java version "1.8.0_392"' >&2`, /^\nJava 8 is too old\. .*17/],
    ['is a little too old', `echo 'openjdk version "16.0.2" 2021-07-20' >&2`, /^\nJava 16 is too old/],
    ['does not say which it is', 'echo hello >&2', /does not say which Java/],
  ])('refuses a Java that %s', async (_what, script, message) => {
    await provide('java', script);
    expect(run('local/start.mjs')).toMatchObject(says(message));
  });

  const check = (tool: 'checkJava' | 'checkMaven') => {
    const at = (file: string): string => pathToFileURL(join(root, 'local', file)).href;
    const script = `import { ${tool} } from '${at('tools.mjs')}'; import { fail } from '${at('setup.mjs')}';
      try { ${tool}(); } catch (error) { fail(error); }`;
    return run('--input-type=module', '-e', script);
  };

  it.each(['openjdk version "17.0.9" 2023-10-17', 'openjdk version "25-ea" 2025-09-16'])(
    'accepts %s',
    async (text) => {
      await provide('java', `echo 'Picked up JAVA_TOOL_OPTIONS: -Xmx1g' >&2; echo '${text}' >&2`);
      expect(check('checkJava')).toMatchObject({ status: 0, stderr: '' });
    },
  );

  it('reports that Maven is missing, or does not run', async () => {
    expect(check('checkMaven')).toMatchObject(says(/^\nMaven was not found\. .*KAFKA_BROKERS/));
    await provide('mvn', 'exit 3');
    expect(check('checkMaven')).toMatchObject(says(/^\nMaven does not run/));
    await provide('mvn', 'exit 0');
    expect(check('checkMaven')).toMatchObject({ status: 0 });
  });
});
