/** `npm run check:semantics`: sets up the clone and Kafka Streams, then runs the comparison. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runTool } from '../../local/run-tool.mjs';
import { fail, root, setUp, step } from '../../local/setup.mjs';

const folder = join(root, 'test', 'kafka-streams');

/**
 * Resolves with the folder of the jars. The jars are fetched to a temporary folder that is then renamed, so an
 * existing folder is complete.
 */
async function fetchJars() {
  const pom = join(folder, 'pom.xml');
  const [, version] = /kafka-streams<\/artifactId>\s*<version>([\d.]+)</.exec(readFileSync(pom, 'utf8'));
  const jars = join(root, '.engines', `kafka-streams-${version}`);
  if (existsSync(jars)) return jars;
  const partial = `${jars}.partial-${process.pid}`;
  const args = ['-q', '-B', '-f', pom, 'dependency:copy-dependencies', `-DoutputDirectory=${partial}`];
  try {
    await step('Kafka Streams is fetched', () =>
      runTool('mvn', [...args, '-DincludeScope=runtime'], 'Maven could not fetch the jars of Kafka Streams'),
    );
    renameSync(partial, jars);
    return jars;
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

async function main() {
  await setUp();
  const env = { ...process.env, KAFKA_STREAMS_JARS: await fetchJars() };
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const config = join(folder, 'vitest.config.mjs');
  const args = ['run', '--config', config, '--root', root, ...process.argv.slice(2)];
  const child = spawn(process.execPath, [vitest, ...args], { cwd: root, stdio: 'inherit', env });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.once('close', (code) => process.exit(code ?? 1));
}

main().catch(fail);
