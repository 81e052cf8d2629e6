import { readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freshStream, path, queryEvents, waitFor, writePatiently, type SingleWriteAnswer } from './api.js';
import { useFaultySystem } from './breakable-system.js';

const system = useFaultySystem();

/** Writes events of one entity, one record batch each, whose `data.n` are these numbers. */
async function write(stream: string, ...numbers: number[]): Promise<SingleWriteAnswer[]> {
  const written: SingleWriteAnswer[] = [];
  for (const n of numbers) {
    const event = { stream, event_type: 't', entity_id: 'e', data: { n, text: `number ${n}` } };
    written.push(await writePatiently(system().stack.core, event));
  }
  return written;
}

async function read(stream: string, written: readonly SingleWriteAnswer[]): Promise<unknown[]> {
  const { events } = await queryEvents(system().stack.core, { stream, order: 'asc' }, waitFor(written));
  return events.map(({ data }) => data);
}

const numbered = (...numbers: number[]) => numbers.map((n) => ({ n, text: `number ${n}` }));

async function segmentOf(stream: string, partition: number): Promise<string> {
  const { partitionsFolder } = system().engines;
  const folders = await readdir(partitionsFolder);
  const folder = folders.find((name) => name.includes(stream) && name.endsWith(`-${partition}`));
  return join(partitionsFolder, folder!, '00000000000000000000.log');
}

it('given a bit of a record that flipped on the disk of the broker, the record is a dead letter and the others are stored (fault 24)', async () => {
  const { engines, stack } = system();
  const stream = freshStream('flipped');
  await stack.materializer.stop();
  const written = await write(stream, 1, 2, 3);
  const [, damaged] = written as [SingleWriteAnswer, SingleWriteAnswer];
  const segment = await segmentOf(stream, damaged.partition);
  await engines.stopKafka();
  const bytes = await readFile(segment);
  // The digit 2 becomes a 3: still JSON.
  const at = bytes.indexOf('number 2') + 'number '.length;
  expect(at).toBeGreaterThan(100);
  bytes[at] = bytes[at]! ^ 1;
  await writeFile(segment, bytes);
  await engines.startKafka();
  await stack.materializer.launch().ready();

  const last = await write(stream, 4);
  expect(await read(stream, [...written, ...last])).toEqual(numbered(1, 3, 4));
  const answer = await stack.core.get(path('/api/v1/dead-letters', { source: 'materializer' }));
  const { dead_letters: letters } = answer.json<{ dead_letters: object[] }>();
  expect(letters.filter((letter) => 'stream' in letter && letter.stream === stream)).toMatchObject([
    { partition: damaged.partition, offset: damaged.offset },
  ]);
});

it('given a flipped bit in the record of a definition, the gateway counts it as unreadable, which an alert watches (fault 24)', async () => {
  const { engines, stack } = system();
  const stream = freshStream('defined');
  await write(stream, 1);
  const segment = await segmentOf('definitions', 0);
  await engines.stopKafka();
  const bytes = await readFile(segment);
  // A letter of the stream's name becomes another one.
  const at = bytes.indexOf(stream) + 1;
  expect(at).toBeGreaterThan(100);
  bytes[at] = bytes[at]! ^ 1;
  await writeFile(segment, bytes);
  await engines.startKafka();
  await stack.gateway.restart();
  const metrics = await fetch(`${stack.urls.core}/metrics`);
  expect(await metrics.text()).toMatch(/^tributary_definitions_unreadable [1-9]/m);
});

it('given a segment that lost its last bytes, stored events stay, and new events at the lost offsets are stored too (fault 24)', async () => {
  const { engines, stack } = system();
  const stream = freshStream('cut');
  const written = await write(stream, 1, 2, 3);
  expect(await read(stream, written)).toEqual(numbered(1, 2, 3));
  const segment = await segmentOf(stream, written[0]!.partition);
  await engines.killKafka();
  await truncate(segment, (await stat(segment)).size - 3);
  await engines.startKafka();

  const [next] = (await write(stream, 4)) as [SingleWriteAnswer];
  expect(next.offset).toBe(written[2]!.offset);
  await expect.poll(() => read(stream, [next]), { timeout: 30_000 }).toEqual(numbered(1, 2, 3, 4));
  expect(stack.materializer.log()).toContain('Kafka has lost records');
});
