import { setTimeout as sleep } from 'node:timers/promises';
import type { Scrub, ScrubbedStream, Tributary } from '#client';
import { ok, warning, wrong, type CheckResult } from './findings.js';

/** What `tributary doctor --scrub` needs. */
interface ScrubInput {
  client: Pick<Tributary, 'scrub' | 'scrubProgress'>;
  signal: AbortSignal;
  /** Shows a line of progress. */
  report: (line: string) => void;
  /** Milliseconds between two polls of the progress. */
  pollMs?: number;
  /** Milliseconds without progress after which the scrub is given up. */
  patienceMs?: number;
}

/**
 * Compares Kafka with ClickHouse, and waits for the end. Yields a finding for each stream with one, or one finding if there
 * are none.
 */
export async function* runScrub(input: ScrubInput): AsyncGenerator<CheckResult> {
  let scrub: Scrub;
  try {
    scrub = await untilComplete(input);
  } catch (error) {
    input.signal.throwIfAborted();
    yield wrong('scrub', (error as Error).message, 'The key needs the scope admin for all streams.');
    return;
  }
  const findings = scrub.streams.flatMap(streamFindings);
  if (!scrub.complete) {
    const open = scrub.streams.filter((one) => one.complete_partitions < one.partitions);
    yield wrong(
      'scrub',
      `It makes no progress in ${open.map(({ stream }) => stream).join(', ')}.`,
      'Is a materializer running, and SCRUB_EVENTS_PER_SECOND not 0? See its log. The scrub goes on without this program.',
    );
  } else if (findings.length === 0)
    yield ok(
      'scrub',
      `ClickHouse has every event of Kafka that it must have: ${counted(total(scrub, 'compared'))} compared.`,
    );
  yield* findings;
}

async function untilComplete({
  client,
  signal,
  report,
  pollMs = 1_000,
  patienceMs = 120_000,
}: ScrubInput): Promise<Scrub> {
  let scrub = await client.scrub({ signal });
  let [last, movedAt, isStill] = ['', performance.now(), false];
  while (!scrub.complete) {
    await sleep(pollMs, undefined, { signal });
    scrub = await client.scrubProgress(scrub.scrub_id, { signal });
    const progress = `${counted(total(scrub, 'compared'))} compared, ${total(scrub, 'complete_partitions')} of ${total(scrub, 'partitions')} partitions`;
    if (progress !== last) {
      report(`scrub: ${progress}`);
      [last, movedAt, isStill] = [progress, performance.now(), false];
      continue;
    }
    const stillMs = performance.now() - movedAt;
    if (!isStill && stillMs > patienceMs / 10)
      report(`scrub: no progress for ${Math.round(stillMs / 1000)} s; gives up after ${patienceMs / 1000} s`);
    isStill ||= stillMs > patienceMs / 10;
    if (stillMs > patienceMs) break;
  }
  return scrub;
}

function streamFindings({ stream, repaired, unlogged, undecided }: ScrubbedStream): CheckResult[] {
  const check = `scrub of ${stream}`;
  const findings: CheckResult[] = [];
  if (repaired > 0)
    findings.push(
      warning(
        check,
        `ClickHouse had lost ${counted(repaired)}, completely or in one of its tables, and has them again.`,
        'Find the cause: docs/runbooks/TributaryScrubRepaired.md. Reset projections and pipelines that were rebuilt meanwhile.',
      ),
    );
  if (unlogged > 0)
    findings.push(
      wrong(
        check,
        `ClickHouse has ${counted(unlogged)} that Kafka does not have at their offsets.`,
        'Kafka has lost them: docs/runbooks/TributaryScrubUnlogged.md.',
      ),
    );
  if (undecided > 0)
    findings.push(
      warning(
        check,
        `ClickHouse may lack ${counted(undecided)}, which may repeat events that Kafka no longer has.`,
        'They were not inserted: docs/operations.md, section The scrub.',
      ),
    );
  return findings;
}

function total({ streams }: Scrub, member: 'compared' | 'partitions' | 'complete_partitions'): number {
  return streams.reduce((sum, stream) => sum + stream[member], 0);
}

const counted = (events: number): string => (events === 1 ? '1 event' : `${events} events`);
