import { type DeadLetter, type Tributary, visibleText } from '#client';
import { ok, warning, type CheckResult } from './finding.js';

/** The time in milliseconds in which dead letters are counted. */
const recentMs = 3_600_000;

/** The number of dead letters that are read. */
const most = 100;

/** Returns a warning for each source that has made dead letters in the last hour and not replayed them. */
export async function deadLetterFindings(client: Tributary, signal: AbortSignal): Promise<CheckResult[]> {
  const since = new Date(Date.now() - recentMs).toISOString();
  const page = await client.deadLetters.list({ since, replayed: false, limit: most }, { signal }).first();
  const bySource = new Map<string, DeadLetter[]>();
  for (const letter of page.items)
    bySource.set(letter.source, [...(bySource.get(letter.source) ?? []), letter]);
  if (bySource.size === 0) return [ok('dead letters', 'None in the last hour.')];
  return [...bySource].map(([source, letters]) => finding(source, letters, page.has_more));
}

function finding(source: string, letters: readonly DeadLetter[], hasMore: boolean): CheckResult {
  const count = `${hasMore ? 'At least ' : ''}${letters.length} in the last hour`;
  const { stream, error } = letters[0]!;
  const detail = `${count}, such as one of the stream ${stream}: ${visibleText(error)}`;
  const command = `tributary dead-letters list --source ${source} --replayed no`;
  return warning(`dead letters of ${source}`, detail, `\`${command}\` lists them.`);
}
