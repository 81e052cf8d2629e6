/** Checks the tools that this machine needs. Each check throws a message that tells the user what to do. */
import { spawnSync } from 'node:child_process';

/** An error whose message is for the user; no stack is printed. */
export class SetupError extends Error {}

const ownKafka = 'Or use a Kafka of your own: KAFKA_BROKERS=host:port npm start';
const oldestJava = 17;

export function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 21 || (major === 20 && minor >= 12)) return;
  throw new SetupError(
    `Node.js ${process.versions.node} does not suffice: 20.12 or newer, but not 21, is needed (https://nodejs.org).`,
  );
}

/** Checks Java. macOS has a `java` command even without Java: it prints where to get Java, and fails. */
export function checkJava() {
  const hint = `Kafka needs Java ${oldestJava} or newer on the PATH (https://adoptium.net). ${ownKafka}`;
  const answer = spawnSync('java', ['-version'], { encoding: 'utf8' });
  if (answer.error) throw new SetupError(`Java was not found. ${hint}`);
  if (answer.status !== 0) throw new SetupError(`Java does not run: \`java -version\` fails. ${hint}`);
  const version = /version "(?:1\.)?(\d+)/.exec(answer.stderr + answer.stdout)?.[1];
  if (!version) throw new SetupError(`\`java -version\` does not say which Java it is. ${hint}`);
  if (Number(version) < oldestJava) throw new SetupError(`Java ${version} is too old. ${hint}`);
}

export function checkMaven() {
  const answer = spawnSync('mvn', ['--version'], { encoding: 'utf8' });
  if (!answer.error && answer.status === 0) return;
  const what = answer.error ? 'Maven was not found' : 'Maven does not run: `mvn --version` fails';
  throw new SetupError(
    `${what}. It fetches Kafka's jars (https://maven.apache.org/install.html). ${ownKafka}`,
  );
}
