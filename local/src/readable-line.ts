const serious = new Set(['error', 'fatal']);

/** A line of the apps' JSON logs, or of anything else, as a person reads it. */
export function readable(line: string): { text: string; serious: boolean } {
  const entry = parse(line);
  if (!entry) return { text: line.slice(0, 400), serious: !/^(INFO|ready )/.test(line) };
  const why = entry.err?.message ?? entry.reason;
  const text = [`${entry.level} ${entry.msg ?? ''}`, why, entry.topic && `topic ${entry.topic}`];
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
