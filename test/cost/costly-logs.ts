import { gzipSync } from 'node:zlib';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { limits } from '#event';
import { hostileJson } from '#testkit';
import { oneInThree } from './one-in-three.js';
import type { WorstCaseRequest } from './worst-case-request.js';

const most = limits.requestBytes - 1_000;
/** The largest record, resource or scope that is read, as protobuf and as JSON. */
const message = limits.eventBytes - 1_000;
const jsonMessage = 4 * message;
const protobuf = { 'content-type': 'application/x-protobuf', 'content-encoding': 'gzip' };

/** As many repetitions of a text as fit into so many characters. */
const filled = (text: string, length: number) => text.repeat(Math.floor(length / text.length));
/** As many repetitions of encoded fields as fit into so many bytes. */
const filledBytes = (hex: string, length: number) => Buffer.from(filled(hex, 2 * length), 'hex');
const field = (number: number, ...parts: Uint8Array[]) =>
  Buffer.from(new BinaryWriter().tag(number, WireType.LengthDelimited).bytes(Buffer.concat(parts)).finish());
const records = (...all: Buffer[]) => field(1, field(2, ...all.map((record) => field(2, record))));
const stringAttribute = (name: string, text: string) =>
  field(1, field(1, Buffer.from(name)), field(2, field(1, Buffer.from(text))));

/** A resource, and this number of empty records with it. */
const repeated = (resource: Buffer, count: number) =>
  field(1, field(1, resource), field(2, filledBytes('1200', 2 * count)));
/** A resource, and this number of scopes with one empty record each. */
const repeatedByScopes = (resource: Buffer, count: number) =>
  field(1, field(1, resource), filledBytes('12021200', 4 * count));

/** Bodies that are small once they are compressed. */
const protobufBodies: Readonly<Record<string, Buffer>> = {
  'eight million resources': filledBytes('0a00', most),
  'eight million scopes': field(1, filledBytes('1200', most)),
  'eight million records': field(1, field(2, filledBytes('1200', most))),
  'a hundred thousand resources and scopes': Buffer.concat([
    ...Array.from({ length: 10_000 }, () => field(1, filledBytes('1200', 18))),
  ]),
  'eight million unknown fields': filledBytes('1800', most),
  'eight million unknown fields of a scope': field(1, field(2, filledBytes('1800', most))),
  'a group of eight million fields': Buffer.concat([
    Buffer.from([0x1b]),
    filledBytes('1000', most),
    Buffer.from([0x1c]),
  ]),
  'groups in groups': filledBytes('1b', most),
  'a packed field': field(3, filledBytes('01', most)),
  'empty attributes': records(...Array.from({ length: 15 }, () => filledBytes('3200', message))),
  'unknown fields of records': records(...Array.from({ length: 15 }, () => filledBytes('7800', message))),
  'groups of records': records(...Array.from({ length: 15 }, () => filledBytes('7b7c', message))),
  'bodies given half a million times': records(filledBytes('2a00', message)),
  'lists of empty values': records(
    ...Array.from({ length: 15 }, () => field(5, field(5, filledBytes('0a00', message)))),
  ),
  'as many values as are read': records(
    ...Array.from({ length: 100 }, () => field(5, field(5, filledBytes('0a021001', 24_000 * 4)))),
  ),
  'maps of empty members': records(field(5, field(6, filledBytes('0a00', message)))),
  'lists in lists': records(field(5, nestedLists(10_000))),
  'values given again in each level': records(field(5, givenTwice(15))),
  'a resource of empty attributes': repeated(filledBytes('0a00', message), 10_000),
  'a large resource of thirty records': repeated(stringAttribute('a', 'x'.repeat(message - 100)), 30),
  'a large resource of thirty scopes': repeatedByScopes(stringAttribute('a', 'x'.repeat(message - 100)), 30),
  'a large resource beyond Latin-1': repeated(stringAttribute('a', filled('😀', (message - 100) / 2)), 60),
  'a large resource of control characters': repeated(stringAttribute('a', '\u0001'.repeat(message)), 10_000),
  'a large resource without records': repeatedByScopes(stringAttribute('a', 'x'.repeat(message)), 0),
  'a large resource of a hundred thousand empty scopes': field(
    1,
    field(1, filledBytes('0a00', 90_000)),
    filledBytes('1200', 2 * 99_000),
  ),
  'resources given again': field(1, filledBytes('0a00', 300_000), field(2, field(2))),
};

function nestedLists(levels: number): Buffer {
  let value = Buffer.from('1001', 'hex');
  for (let i = 0; i < levels; i++) value = field(5, field(1, value));
  return value;
}

/** A list whose occurrences are given twice, on each level. */
function givenTwice(levels: number): Buffer {
  let value = Buffer.from('1001', 'hex');
  for (let i = 0; i < levels; i++)
    value = Buffer.concat([field(5, field(1, value)), field(5, field(1, value))]);
  return value;
}

const around = (...all: string[]) => `{"resourceLogs":[{"scopeLogs":[{"logRecords":[${all.join(',')}]}]}]}`;
const list = (element: string, length: number) => `[${filled(`${element},`, length)}${element}]`;

const jsonBodies: Readonly<Record<string, string>> = {
  'ten thousand records': around(list('{"body":{"stringValue":"x"}}', 290_000).slice(1, -1)),
  'a million records': around(`${'{},'.repeat(1_000_000)}{}`),
  'five million resources': `{"resourceLogs":${list('{}', most - 100)}}`,
  'five million scopes': `{"resourceLogs":[{"scopeLogs":${list('{}', most - 100)}}]}`,
  'eight million numbers that are skipped': `{"x":${list('0', most - 100)}}`,
  'three million unknown members': `{${filled('"a":0,', most - 100)}"a":0}`,
  'lists in lists that are skipped': `{"x":${'['.repeat(most / 2 - 100)}${']'.repeat(most / 2 - 100)}}`,
  'one text that is skipped': `{"x":"${'a'.repeat(most - 100)}"}`,
  'one text of escapes that is skipped': `{"x":"${filled('\\"', most - 100)}"}`,
  'lines of byte-order marks': filled('\n\ufeff', most / 4),
  'white space': `{${' '.repeat(most - 100)}}`,
  'empty attributes': around(
    ...Array.from({ length: 3 }, () => `{"attributes":${list('{}', jsonMessage - 100)}}`),
  ),
  'unknown members of records': around(
    ...Array.from({ length: 3 }, () => `{${filled('"a":0,', jsonMessage - 100)}"a":0}`),
  ),
  'numbers that are skipped in records': around(
    ...Array.from({ length: 3 }, () => `{"x":${list('0', jsonMessage - 100)}}`),
  ),
  'lists of values': around(
    ...Array.from(
      { length: 3 },
      () => `{"body":{"arrayValue":{"values":${list('{"intValue":1}', jsonMessage - 100)}}}}`,
    ),
  ),
  'lists in lists': around(`{"body":${filled('{"arrayValue":{"values":[', jsonMessage / 2)}`),
  'a time of four million digits': around(`{"timeUnixNano":${'1'.repeat(jsonMessage - 100)}}`),
  'a double of four million zeros': around(`{"body":{"doubleValue":"${'0'.repeat(jsonMessage - 100)}x"}}`),
  'an integer with a large exponent': around('{"body":{"intValue":1e999999999}}'),
  'an id of four million characters': around(`{"traceId":"${'A'.repeat(jsonMessage - 100)}"}`),
  'ten thousand records that cannot be read': around(`${'{"flags":"x"},'.repeat(9_999)}{"flags":"x"}`),
};

/** The most expensive known requests of OpenTelemetry logs. */
export function costlyLogs(): WorstCaseRequest[] {
  const json = (name: string, body: string) => ({ name: `${name} as JSON`, path: '', body });
  return [
    ...oneInThree(hostileJson, 0).map(({ name, text }) => json(name, around(text(1024 * 1024)))),
    ...oneInThree(hostileJson, 1).map(({ name, text }) =>
      json(`${name}, skipped in a record`, around(`{"x":${text(jsonMessage / 4)}}`)),
    ),
    ...Object.entries(jsonBodies).map(([name, body]) => json(name, body)),
    ...Object.entries(protobufBodies).map(([name, body]) => ({
      ...{ name, path: '', body: gzipSync(body), headers: protobuf },
    })),
  ];
}
