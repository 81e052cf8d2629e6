import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { delayProjections } from '../../demo/delays.js';
import { delayFields } from '../../demo/flight-window-case.fixture.js';

/** Window size and retention of the demo's definitions, which specs change. */
export interface DemoDefinitionOptions {
  /** The size of the windows. */
  size?: string;
  retention?: string;
}

const projections = Object.values(delayProjections('', 'departures'));
const schema = { type: 'object', required: ['delay'], properties: { delay: { type: 'number' } } };

/** A projection of the demo as the text of a file. */
export const oneProjection = stringify({ kind: 'projection', ...projections[0] });

/** Writes the demo's definitions to files in an order in which they cannot be created. */
export function writeDefinitions(
  folder: string,
  { size = '1h', retention = '30d' }: DemoDefinitionOptions = {},
): void {
  mkdirSync(join(folder, 'more'), { recursive: true });
  const write = (name: string, ...documents: object[]) =>
    writeFileSync(join(folder, name), documents.map((one) => stringify(one)).join('---\n'));
  write('0.yaml', reader, windows(size));
  write('more/1.yml', ...projections.map((projection) => ({ kind: 'projection', ...projection })));
  write('2.yaml', { kind: 'stream', stream: 'departures', partitions: 2, retention: { time: retention } });
  const named = { kind: 'schema', stream: 'departures', event_type: 'flight.delayed' };
  writeFileSync(join(folder, '3.json'), JSON.stringify([{ ...named, schema, mode: 'warn' }]));
}

/** A pipeline that reads the output of the demo's pipeline. */
const reader = {
  ...{ kind: 'pipeline', name: 'a_reader', source: { streams: ['delays'] } },
  operators: [{ emit: { stream: 'copies' } }],
};

function windows(size: string): object {
  return {
    ...{ kind: 'pipeline', name: 'delays_per_window', source: { streams: ['departures'] } },
    operators: [
      { window: { tumbling: size, key: 'event.entity_id', lateness: '0s' } },
      { reduce: delayFields },
      { emit: { stream: 'delays' } },
    ],
  };
}
