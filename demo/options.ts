import { parseArgs } from 'node:util';

/** The options of `npm run demo --`. */
export interface DemoOptions {
  ingestUrl: string;
  queryUrl: string;
  apiKey: string | undefined;
  apiKeyFile: string;
  prefix: string;
  limit: number;
  batchSize: number;
  concurrency: number;
}

export const usage = `npm run demo -- [options]
  --ingest URL       where to write        (default http://127.0.0.1:3901; HOST and INGEST_PORT as for npm start)
  --query URL        where to read         (default http://127.0.0.1:3902; HOST and GATEWAY_QUERY_PORT likewise)
  --key-file PATH    the API key           (default api-key in .tributary or TRIBUTARY_DATA_DIR; TRIBUTARY_KEY goes first)
  --prefix TEXT      put before the streams' names, to load the data a second time
  --limit N          only the first N rows of each dataset
  --batch N          events in one request (default 1000, at most 10000)
  --concurrency N    requests at a time    (default 4)`;

/** An invalid option; the message says what is expected. */
export class OptionError extends Error {
  override readonly name = 'OptionError';
}

/** Parses the options. @throws OptionError */
export function parseOptions(args: readonly string[], env: NodeJS.ProcessEnv): DemoOptions {
  const values = readArgs(args);
  const host = env.HOST || '127.0.0.1';
  return {
    ingestUrl: trimSlash(values.ingest ?? `http://${host}:${env.INGEST_PORT || 3901}`),
    queryUrl: trimSlash(values.query ?? `http://${host}:${env.GATEWAY_QUERY_PORT || 3902}`),
    apiKey: env.TRIBUTARY_KEY || undefined,
    apiKeyFile: values['key-file'] ?? `${env.TRIBUTARY_DATA_DIR || '.tributary'}/api-key`,
    prefix: values.prefix ?? '',
    limit: wholeNumber(values.limit, { name: 'limit', fallback: Infinity, max: Infinity }),
    batchSize: wholeNumber(values.batch, { name: 'batch', fallback: 1000, max: 10_000 }),
    concurrency: wholeNumber(values.concurrency, { name: 'concurrency', fallback: 4, max: 64 }),
  };
}

function readArgs(args: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args: [...args],
      options: {
        ingest: text,
        query: text,
        'key-file': text,
        prefix: text,
        limit: text,
        batch: text,
        concurrency: text,
      },
    }).values;
  } catch (error) {
    throw new OptionError((error as Error).message);
  }
}

function wholeNumber(
  text: string | undefined,
  rule: { name: string; fallback: number; max: number },
): number {
  if (text === undefined) return rule.fallback;
  const value = /^\d+$/.test(text) ? Number(text) : NaN;
  if (value >= 1 && value <= rule.max) return value;
  const most = rule.max === Infinity ? '' : ` and ${rule.max}`;
  throw new OptionError(`--${rule.name} is "${text}", but must be a whole number of at least 1${most}`);
}

function trimSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
