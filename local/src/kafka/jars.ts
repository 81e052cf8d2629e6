import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The root of the repository, relative to the compiled file dist/local/src/kafka/jars.js. */
export const root = fileURLToPath(new URL('../../../../', import.meta.url));
export const kafkaDir = join(root, 'local', 'kafka');

/** The folder of the jars of the Kafka version in the pom. If it exists, it is complete. @throws if the pom names none. */
export function jarsDir(): string {
  const pom = readFileSync(join(kafkaDir, 'pom.xml'), 'utf8');
  const version = /kafka_2\.13<\/artifactId>\s*<version>([\d.]+)</.exec(pom)?.[1];
  if (!version) throw new Error('local/kafka/pom.xml does not contain a version of kafka_2.13');
  return join(root, '.engines', `kafka-${version}`);
}

/** Whether Kafka's jars were fetched already. */
export function jarsPresent(): boolean {
  return existsSync(jarsDir());
}

/**
 * Makes Maven fetch Kafka's jars. The jars are copied to a temporary folder that is then renamed. So an interrupted
 * copy is never mistaken for a complete one, and two concurrent calls do not disturb each other.
 * @param maven Runs Maven with the given arguments.
 * @throws with the end of Maven's output.
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

/** Removes folders of earlier calls that were killed. */
async function removeLeftovers(dir: string): Promise<void> {
  const anHourAgo = Date.now() - 3_600_000;
  for (const name of await readdir(dirname(dir))) {
    if (!name.startsWith(`${basename(dir)}.partial-`)) continue;
    const path = join(dirname(dir), name);
    const info = await stat(path).catch(() => undefined);
    if (info && info.mtimeMs < anHourAgo) await rm(path, { recursive: true, force: true });
  }
}

/**
 * Kafka's classes, parsed and verified once, which every broker maps into memory: a broker then takes about half the processor
 * time to start (class-data sharing, JEP 350). Java ignores an archive that another Java or other jars made.
 */
export function classArchive(): string {
  return `${jarsDir()}.jsa`;
}

/** Whether there is an archive already. */
export function archivePresent(): boolean {
  return existsSync(classArchive());
}

/** Java's flags that use the archive; none where there is no archive. */
export function archiveFlags(): string[] {
  return archivePresent() ? [`-XX:SharedArchiveFile=${classArchive()}`, '-Xshare:auto'] : [];
}
