import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The root of the repository: this file runs as dist/local/src/kafka/jars.js. */
export const root = fileURLToPath(new URL('../../../../', import.meta.url));
export const kafkaDir = join(root, 'local', 'kafka');

/** The version that the pom pins. */
export function kafkaVersion(): string {
  const pom = readFileSync(join(kafkaDir, 'pom.xml'), 'utf8');
  const version = /kafka_2\.13<\/artifactId>\s*<version>([\d.]+)</.exec(pom)?.[1];
  if (!version) throw new Error('local/kafka/pom.xml names no version of kafka_2.13');
  return version;
}

/** Where Kafka's jars are, or are to be. A folder of this name is always complete. */
export function jarsDir(): string {
  return join(root, '.engines', `kafka-${kafkaVersion()}`);
}

/** Whether Maven has nothing to do. */
export function jarsPresent(): boolean {
  return existsSync(jarsDir());
}

/**
 * Has Maven resolve Kafka's jars. They are copied beside their place and moved there as a whole, so that a copy that
 * was interrupted is never taken for a complete one, and two that run at once do not disturb each other.
 * @param maven Runs Maven with these arguments.
 * @throws with the end of what Maven said.
 */
export async function fetchJars(maven: (args: string[]) => Promise<void> = runMaven): Promise<string> {
  const dir = jarsDir();
  if (jarsPresent()) return dir;
  const partial = `${dir}.partial-${process.pid}`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { recursive: true });
  try {
    await maven(copyInto(partial));
    await rename(partial, dir).catch(async (error: unknown) => {
      if (!existsSync(dir)) throw error;
    });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  await removeLeftovers(dir);
  return dir;
}

function copyInto(target: string): string[] {
  const args = ['-q', '-B', '-f', join(kafkaDir, 'pom.xml'), 'dependency:copy-dependencies'];
  return [...args, `-DoutputDirectory=${target}`, '-DincludeScope=runtime'];
}

async function runMaven(args: string[]): Promise<void> {
  try {
    await promisify(execFile)('mvn', args, { maxBuffer: 16 << 20 });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    const said = `${stdout}${stderr}`.trim().split('\n').slice(-12).join('\n');
    throw new Error(`Maven could not fetch Kafka's jars:\n${said}`, { cause: error });
  }
}

/** What earlier runs that were killed have left. */
async function removeLeftovers(dir: string): Promise<void> {
  const anHourAgo = Date.now() - 3_600_000;
  for (const name of await readdir(dirname(dir))) {
    if (!name.startsWith(`${basename(dir)}.partial-`)) continue;
    const path = join(dirname(dir), name);
    const info = await stat(path).catch(() => undefined);
    if (info && info.mtimeMs < anHourAgo) await rm(path, { recursive: true, force: true });
  }
}
