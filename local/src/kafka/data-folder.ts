import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, rename, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { jarsDir } from './jars.js';

/** Feature levels of the cluster, which every broker of this Kafka version gets when its data folder is formatted. */
const bootstrapFile = 'bootstrap.checkpoint';

/** Kafka's own formatting tool wrote this copy for the first data folder. */
function keptBootstrap(): string {
  return `${jarsDir()}.${bootstrapFile}`;
}

/**
 * Formats a data folder that does not exist yet as Kafka's tool does, without the start of a Java process for the tool.
 * Returns false, and writes nothing, if the tool has not been run yet for this Kafka version.
 */
export async function formatLikeEarlier(
  folder: string,
  { nodeId, clusterId }: { nodeId: string | number; clusterId: string },
): Promise<boolean> {
  if (!existsSync(keptBootstrap())) return false;
  await mkdir(folder, { recursive: true });
  await copyFile(keptBootstrap(), join(folder, bootstrapFile));
  // Written last: a folder with this file counts as formatted.
  const meta = { version: 1, 'cluster.id': clusterId, 'node.id': nodeId, 'directory.id': newKafkaId() };
  const lines = Object.entries(meta).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(join(folder, 'meta.properties'), lines.join(''));
  return true;
}

/** Keeps what Kafka's tool has written, for `formatLikeEarlier`. */
export async function keepFormat(folder: string): Promise<void> {
  const draft = `${keptBootstrap()}.${process.pid}`;
  await copyFile(join(folder, bootstrapFile), draft);
  await rename(draft, keptBootstrap());
}

/** Returns a random id of a cluster or a folder. */
export function newKafkaId(): string {
  return randomBytes(16).toString('base64url');
}
