import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CliProcess } from '../session/terminal.js';
import { differences, inOrder } from './plan.js';
import { readManifests, readManifest } from './read-manifests.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tributary-manifests-'));
  mkdirSync(join(folder, 'sub'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const read = (...paths: string[]) =>
  readManifests(
    paths.map((path) => join(folder, path)),
    {} as CliProcess,
  );

describe('the files of a folder', () => {
  it('are YAML with several documents, and JSON with one or several definitions', async () => {
    writeFileSync(
      join(folder, 'b.yaml'),
      'kind: stream\nstream: a\n---\n# nothing\n---\nkind: stream\nstream: b\n',
    );
    writeFileSync(join(folder, 'sub/a.json'), '[{"kind": "stream", "stream": "c"}]');
    writeFileSync(join(folder, 'readme.md'), 'no definition');
    expect((await read('')).map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  });

  it('may contain a name that begins or ends with "undefined"', async () => {
    writeFileSync(
      join(folder, 'sub/names.yaml'),
      'kind: stream\nstream: undefined_orders\n---\nkind: projection\nname: orders_undefined\n',
    );
    expect((await read('sub/names.yaml')).map(({ name }) => name)).toEqual([
      'undefined_orders',
      'orders_undefined',
    ]);
    rmSync(join(folder, 'sub/names.yaml'));
  });

  it.each([
    ['kind: thing', '"thing" is not a kind of definition.'],
    ['stream: a', '"kind" is missing.'],
    ['kind: stream\nname: a', 'a stream has no member "name".'],
    ['kind: stream', 'the name of the stream is missing.'],
    ['kind: schema\nstream: a\nschema: true', 'the name of the schema is missing.'],
    ['kind: [', 'must be'],
    ['kind: stream\nstream: a\n---\nkind: stream\nstream: a\n', 'The stream a is defined twice: '],
  ])('%j is refused with its file and document', async (content, message) => {
    writeFileSync(join(folder, 'sub/wrong.yaml'), content);
    const reading = read('sub/wrong.yaml');
    await expect(reading).rejects.toThrow(message === 'must be' ? 'wrong.yaml: ' : message);
    await expect(reading).rejects.toThrow('wrong.yaml');
    rmSync(join(folder, 'sub/wrong.yaml'));
  });
});

const manifest = (document: object) => readManifest(document, 'file');
const pipeline = (name: string, [from, to]: [string, string], more: object[] = []) =>
  manifest({
    kind: 'pipeline',
    name,
    source: { streams: [from] },
    operators: [...more, { emit: { stream: to } }],
  });

describe('the order of definitions', () => {
  it('puts a pipeline after those whose streams it reads, and after the projections that it looks up', () => {
    const asks = { enrich: { from: { projection: 'p' }, key: 'k', as: 'x' } };
    const wanted = [
      pipeline('last', ['b', 'c'], [asks]),
      pipeline('first', ['a', 'b']),
      manifest({ kind: 'projection', name: 'p', source: { streams: ['a'] }, fields: {} }),
      manifest({ kind: 'stream', stream: 'a' }),
    ];
    expect(inOrder(wanted).map(({ name }) => name)).toEqual(['a', 'p', 'first', 'last']);
  });

  it("puts a projection of a pipeline's output after the pipeline", () => {
    const wanted = [
      manifest({ kind: 'projection', name: 'p', source: { streams: ['b'] }, fields: {} }),
      pipeline('first', ['a', 'b']),
    ];
    expect(inOrder(wanted).map(({ name }) => name)).toEqual(['first', 'p']);
  });

  it('terminates if definitions form a loop', () => {
    const wanted = [pipeline('one', ['a', 'b']), pipeline('two', ['b', 'a'])];
    expect(inOrder(wanted).map(({ name }) => name)).toEqual(['two', 'one']);
  });
});

describe('differences', () => {
  const resource = { optional: ['mode'] };

  it('are named by a JSON pointer', () => {
    const found = { a: { b: 1, 'c/d': 2 }, list: [1], same: [1, { x: 2 }] };
    expect(
      differences(resource, found, { a: { b: 1, 'c/d': 3 }, list: [1, 2], same: [1, { x: 3 }] }),
    ).toEqual([
      { path: '/a/c~1d', found: 2, wanted: 3 },
      { path: '/list', found: [1], wanted: [1, 2] },
      { path: '/same/1/x', found: 2, wanted: 3 },
    ]);
  });

  it('ignore omitted optional members, and report other omitted members', () => {
    expect(differences(resource, { mode: 'warn', a: 1 }, { a: 1 })).toEqual([]);
    expect(differences(resource, { where: 'x' }, {})).toEqual([
      { path: '/where', found: 'x', wanted: undefined },
    ]);
  });

  it('do not depend on the order of streams, on nulls and on default values', () => {
    const source = { streams: ['b', 'a'], event_types: null };
    const wanted = manifest({
      kind: 'projection',
      name: 'p',
      source,
      fields: { n: { op: 'count', value: null } },
    });
    const answer = {
      ...{
        name: 'p',
        version: 3,
        status: 'running',
        source: { streams: ['a', 'b'] },
        key: 'event.entity_id',
      },
      ...{ fields: { n: { op: 'count' } }, from: 'beginning', lag: 0 },
    };
    expect(differences(wanted.resource, wanted.resource.definitionOf(answer), wanted.definition)).toEqual([]);
  });
});
