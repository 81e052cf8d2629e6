import { parseArgs } from 'node:util';

export const measureNames = [
  ...(['P1', 'P2', 'P3', 'P4', 'P5', 'P6', 'P7', 'P8', 'P9'] as const),
  ...(['P10', 'P11', 'P12', 'P13', 'P14', 'SCHEMA'] as const),
  ...([
    'KEYS',
    'RESET',
    'STATE',
    'RECOVERY',
    'STREAMS',
    'CLIENT',
    'CONDITIONAL',
    'DELIVERY',
    'EXPORT',
    'FAR',
    'SHARDS',
    'SUB',
    'PEER',
    'GROWTH',
  ] as const),
] as const;
/** Name of a measure of the benchmark, such as `P1`. */
export type MeasureName = (typeof measureNames)[number];

/** The options of `npm run bench --`. */
export interface BenchOptions {
  measures: MeasureName[];
  runs: number;
  /** The number of events of one run; each measure has its own default. */
  events: number | undefined;
  /** The number of events in the data set of P5 and EXPORT. */
  pageEvents: number;
  soakSeconds: number;
  name: string | undefined;
  brokers: string | undefined;
  clickhouse: string | undefined;
  profile: boolean;
}

export const usage = `npm run bench -- [${measureNames.join(' ')}] [options]
  --runs N            runs of each measure                       (default 5)
  --events N          events of one run, where it has a number (default: each its own)
  --page-events N     events of the data set of P5, P6, EXPORT, and the most of GROWTH (default 10000000)
  --soak SECONDS      how long P8 keeps the system under load    (default 60; the goal says 600)
  --name NAME         of bench/results/NAME.json                 (default: time and commit)
  --brokers LIST      a Kafka that runs, instead of one of the bench's own
  --clickhouse URL    a ClickHouse that runs, likewise
  --profile           writes CPU profiles of the apps to .engines/bench/profiles`;

/** An invalid option; the message says what is expected. */
export class OptionError extends Error {
  override readonly name = 'OptionError';
}

/** Parses the options. @throws OptionError */
export function parseOptions(args: readonly string[]): BenchOptions {
  const { values, positionals } = readArgs(args);
  return {
    measures: measuresOf(positionals),
    runs: wholeNumber('runs', values.runs) ?? 5,
    events: wholeNumber('events', values.events),
    pageEvents: wholeNumber('page-events', values['page-events']) ?? 10_000_000,
    soakSeconds: wholeNumber('soak', values.soak) ?? 60,
    name: values.name,
    brokers: values.brokers,
    clickhouse: values.clickhouse,
    profile: values.profile ?? false,
  };
}

function readArgs(args: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        runs: text,
        events: text,
        'page-events': text,
        soak: text,
        name: text,
        brokers: text,
        clickhouse: text,
        profile: { type: 'boolean' },
      },
    });
  } catch (error) {
    throw new OptionError((error as Error).message);
  }
}

function measuresOf(given: readonly string[]): MeasureName[] {
  const wanted = new Set(given.map((name) => name.toUpperCase()));
  const chosen = measureNames.filter((name) => wanted.size === 0 || wanted.has(name));
  if (wanted.size > 0 && chosen.length < wanted.size) {
    throw new OptionError(`${given.join(' ')}: the measures are ${measureNames.join(' ')}`);
  }
  return chosen;
}

function wholeNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text) && Number(text) >= 1) return Number(text);
  throw new OptionError(`--${name} is "${text}", but must be a whole number of at least 1`);
}
