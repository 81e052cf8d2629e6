import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { writePayload, type BenchContext } from './bench.js';
import { startEngines } from './engines.js';
import { describeMachine } from './machine.js';
import { batches } from './measures/p1-batches.js';
import { singles } from './measures/p2-singles.js';
import { drain } from './measures/p3-drain.js';
import { freshness } from './measures/p4-freshness.js';
import { pages } from './measures/p5-pages.js';
import { fold } from './measures/p7-fold.js';
import { pipeline } from './measures/p7-pipeline.js';
import { memory } from './measures/p8-memory.js';
import { idle } from './measures/p9-idle.js';
import { trickle } from './measures/p10-trickle.js';
import { live } from './measures/p11-live.js';
import { snapshots } from './measures/p12-snapshots.js';
import { manyStreams } from './measures/p13-many-streams.js';
import { disk } from './measures/p14-disk.js';
import { exports } from './measures/export.js';
import { farDuplicates } from './measures/far-duplicates.js';
import { entityState } from './measures/entity-state.js';
import { growth } from './measures/growth.js';
import { keys } from './measures/keys.js';
import { client } from './measures/client.js';
import { conditional } from './measures/conditional.js';
import { delivery } from './measures/delivery.js';
import { peer } from './measures/peer.js';
import { recovery } from './measures/recovery.js';
import { reset } from './measures/reset.js';
import { schema } from './measures/schema.js';
import { shards } from './measures/shards.js';
import { streams } from './measures/streams.js';
import { subscriptions } from './measures/subscriptions.js';
import { OptionError, parseOptions, usage, type BenchOptions, type MeasureName } from './options.js';
import { markdownTable, type MeasuredFigure } from './report.js';

/** P5 and P6 use the same pages. */
const measures: { names: MeasureName[]; run: (bench: BenchContext) => Promise<MeasuredFigure[]> }[] = [
  { names: ['P1'], run: batches },
  { names: ['P2'], run: singles },
  { names: ['P3'], run: drain },
  { names: ['P4'], run: freshness },
  { names: ['P5', 'P6'], run: pages },
  { names: ['P7'], run: async (bench) => [...(await fold(bench)), ...(await pipeline(bench))] },
  { names: ['P8'], run: memory },
  { names: ['P9'], run: idle },
  { names: ['P10'], run: trickle },
  { names: ['P11'], run: live },
  { names: ['P12'], run: snapshots },
  { names: ['P13'], run: manyStreams },
  { names: ['P14'], run: disk },
  { names: ['SCHEMA'], run: schema },
  { names: ['KEYS'], run: keys },
  { names: ['RESET'], run: reset },
  { names: ['STATE'], run: entityState },
  { names: ['RECOVERY'], run: recovery },
  { names: ['STREAMS'], run: streams },
  { names: ['CLIENT'], run: client },
  { names: ['CONDITIONAL'], run: conditional },
  { names: ['DELIVERY'], run: delivery },
  { names: ['EXPORT'], run: exports },
  { names: ['FAR'], run: farDuplicates },
  { names: ['SHARDS'], run: shards },
  { names: ['SUB'], run: subscriptions },
  { names: ['PEER'], run: peer },
  { names: ['GROWTH'], run: growth },
];

const keptFolder = resolve('.engines/bench');

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  const machine = describeMachine();
  const name = options.name ?? `${new Date().toISOString().slice(0, 16).replace(':', '')}-${machine.commit}`;
  const folder = join(keptFolder, `run-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  const engines = await startEngines(options, folder);
  try {
    const say = (text: string) => console.error(`  ${text}`);
    const payloadFile = writePayload(folder);
    const rows = await measure({ options, engines, folder, keptFolder, payloadFile, say });
    save(name, { name, options, machine, rows });
    console.log(markdownTable(rows));
  } finally {
    await engines.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Runs the selected measures. A failed measure is reported and the others continue; the exit code reports the
 * failure.
 */
async function measure(bench: BenchContext): Promise<MeasuredFigure[]> {
  const rows: MeasuredFigure[] = [];
  for (const { names, run } of measures) {
    if (!names.some((name) => bench.options.measures.includes(name))) continue;
    console.error(names.join(', '));
    try {
      rows.push(...(await run(bench)));
    } catch (error) {
      console.error(error);
      process.exitCode = 1;
    }
  }
  return rows;
}

function save(name: string, result: { options: BenchOptions } & Record<string, unknown>): void {
  mkdirSync('bench/results', { recursive: true });
  writeFileSync(`bench/results/${name}.json`, `${JSON.stringify(result, null, 2)}\n`);
}

main().catch((error: unknown) => {
  process.exitCode = 1;
  console.error(error instanceof OptionError ? `${error.message}\n\n${usage}` : error);
});
