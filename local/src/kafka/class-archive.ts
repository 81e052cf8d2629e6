import { existsSync } from 'node:fs';
import { jarsDir } from './jars.js';

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
