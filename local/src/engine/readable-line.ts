import { visibleText } from '#client';

/** Maximum number of characters of a line that are shown. */
const mostCharacters = 400;

/**
 * Matches lines of Kafka's and ClickHouse's output that are not shown to the user. At a start on existing data the
 * broker may contact its controller before the election; it gets a NotControllerException and retries.
 */
const harmless = /^(INFO|ready )|NotControllerException/;

const serious = new Set(['error', 'fatal']);

/**
 * Converts a line of the apps' JSON logs, or any other line, to readable text, and returns whether it is an error or
 * a warning. Characters that are not visible are escaped: logs contain text from outside.
 */
export function readableLine(line: string): { text: string; serious: boolean } {
  const entry = parse(line);
  if (!entry) return { text: shown(line), serious: !harmless.test(line) };
  const why = entry.err?.message ?? entry.reason;
  const text = [
    `${entry.level} ${entry.msg ?? ''}`,
    entry.pipeline && `pipeline ${entry.pipeline}`,
    entry.projection && `projection ${entry.projection}`,
    why,
    entry.topic && `topic ${entry.topic}`,
  ];
  return {
    text: shown(text.filter(Boolean).join(': ')),
    serious: serious.has(entry.level) || (entry.level === 'warn' && entry.request_id === undefined),
  };
}

function shown(text: string): string {
  return visibleText(text.slice(0, mostCharacters), { keep: '\t' });
}

interface Entry {
  level: string;
  /**
   * Id of a request. A warning about one request is not shown at the terminal, because the client has received it in
   * its answer.
   */
  request_id?: string;
  msg?: string;
  err?: { message?: string };
  /** The reason, if no error object is logged. */
  reason?: string;
  topic?: string;
  pipeline?: string;
  projection?: string;
}

function parse(line: string): Entry | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const entry = JSON.parse(line) as Entry;
    return typeof entry.level === 'string' ? entry : undefined;
  } catch {
    return undefined;
  }
}
