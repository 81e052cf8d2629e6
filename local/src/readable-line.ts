/**
 * Of the engines' lines. At a start on existing data the broker asks its controller before that one has been elected: it
 * is told so, and asks again.
 */
const harmless = /^(INFO|ready )|NotControllerException/;

const serious = new Set(['error', 'fatal']);

/** A line of the apps' JSON logs, or of anything else, as a person reads it. */
export function readable(line: string): { text: string; serious: boolean } {
  const entry = parse(line);
  if (!entry) return { text: line.slice(0, 400), serious: !harmless.test(line) };
  const why = entry.err?.message ?? entry.reason;
  const text = [
    `${entry.level} ${entry.msg ?? ''}`,
    entry.pipeline && `pipeline ${entry.pipeline}`,
    entry.projection && `projection ${entry.projection}`,
    why,
    entry.topic && `topic ${entry.topic}`,
  ];
  return {
    text: text.filter(Boolean).join(': ').slice(0, 400),
    serious: serious.has(entry.level) || (entry.level === 'warn' && entry.request_id === undefined),
  };
}

interface Entry {
  level: string;
  /** Of lines about one request: a warning among them has been told to who asked. */
  request_id?: string;
  msg?: string;
  err?: { message?: string };
  /** Why, where it is no error that is logged. */
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
