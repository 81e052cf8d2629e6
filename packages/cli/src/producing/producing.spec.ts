import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import {
  InvalidRequestError,
  UnauthenticatedError,
  UnexpectedStatusError,
  UnknownOutcomeError,
  VersionConflictError,
  type Problem,
} from '#client';
import { linesOf, readLine } from './input.js';
import { ProduceResult } from './produce-result.js';
import { barText } from './progress-bar.js';

async function lines(...chunks: (string | Uint8Array)[]): Promise<(string | Error)[]> {
  const found: (string | Error)[] = [];
  const stream = Readable.from(chunks.map((chunk) => Buffer.from(chunk as string)));
  for await (const line of linesOf(stream)) found.push(line);
  return found;
}

describe('lines', () => {
  it('end with LF or CRLF, the last one at the end of the text, for any split into pieces', async () => {
    expect(await lines('a\nb', 'b\r', '\n\nc')).toEqual(['a', 'bb', '', 'c']);
    const bytes = Buffer.from('ř\n');
    expect(await lines(bytes.subarray(0, 1), bytes.subarray(1))).toEqual(['ř']);
  });

  it('have no byte order mark', async () => {
    expect(await lines('\uFEFFa\nb')).toEqual(['a', 'b']);
  });

  it('are replaced by errors if they are not UTF-8', async () => {
    const latin1 = Buffer.from('a\ncafé\nž\n', 'latin1');
    const found = await lines('ž\nb', latin1.subarray(0, 5), latin1.subarray(5), 'é\n', Buffer.from([0xc3]));
    expect(found.map((line) => (line instanceof Error ? line.message.slice(0, 22) : line))).toEqual([
      ...['ž', 'ba', 'The line is not UTF-8.', '~', 'é', 'The line is not UTF-8.'],
    ]);
  });

  it('must not exceed the maximum length', async () => {
    await expect(lines('x'.repeat(16 * 1024 * 1024 + 1))).rejects.toThrow('A line is longer than');
  });
});

describe('the event of a line', () => {
  const defaults = { stream: 's', event_type: 't' };

  it('has the stream and the type of the command if the line has none', () => {
    expect(readLine('{"data":{"n":1.0}}', defaults)).toEqual({
      stream: 's',
      event_type: 't',
      dataText: '{"n":1.0}',
    });
    expect(readLine('{"stream":"s","event_type":"u","data":{}}', defaults)).toMatchObject({
      event_type: 'u',
    });
  });

  it('has its own expected version, or that of the command', () => {
    const own = '{"entity_id":"e","expected_version":0,"data":{}}';
    const conditional = { ...defaults, expected_version: 4 };
    expect(readLine(own, conditional)).toMatchObject({ expected_version: 0 });
    expect(readLine('{"entity_id":"e","data":{}}', conditional)).toMatchObject({ expected_version: 4 });
  });

  it('must not name another stream than the command', () => {
    expect(() => readLine('{"stream":"x","data":{}}', defaults)).toThrow(
      'names the stream "x", but the command names "s"',
    );
  });
});

describe('outcomes', () => {
  const problem = (status: number) => ({ status, code: 'c', detail: 'd' }) as unknown as Problem;

  it('determine the exit code', () => {
    const produced = new ProduceResult();
    produced.accepted++;
    expect([produced.exitCode, String(produced)]).toEqual([0, '1 accepted, 0 rejected']);
    produced.fail(new InvalidRequestError(problem(400)));
    expect([produced.exitCode, produced.fatal]).toEqual([3, undefined]);
    produced.fail(new UnknownOutcomeError('id', 1));
    expect([produced.exitCode, String(produced)]).toEqual([
      4,
      '1 accepted, 1 rejected, 1 with unknown outcome',
    ]);
  });

  it('of events with another expected version concern only these events', () => {
    const produced = new ProduceResult();
    produced.fail(new VersionConflictError(problem(412)));
    expect([produced.exitCode, produced.fatal, String(produced)]).toEqual([
      ...[3, undefined, '0 accepted, 1 rejected'],
    ]);
  });

  it('end the command if no further event would be accepted', () => {
    const produced = new ProduceResult();
    produced.fail(new UnauthenticatedError(problem(401)));
    expect(produced.fatal).toBeInstanceOf(UnauthenticatedError);
  });
});

describe('a URL where another server answers', () => {
  it('ends the command, and is reported once', () => {
    const produced = new ProduceResult();
    const [first, second] = [new UnexpectedStatusError(404, 'a'), new UnexpectedStatusError(404, 'a')];
    const told = [first, second].filter((error) => {
      produced.fail(error);
      return !produced.repeats(error);
    });
    expect([told, produced.fatal, produced.exitCode]).toEqual([[first], first, 3]);
    expect(String(produced)).toBe('0 accepted, 2 rejected');
  });
});

describe('the bar', () => {
  it('shows the fraction of a file, or the amount read from a pipe', () => {
    expect(barText({ events: 12_000, fraction: 0.25 }, 3)).toBe(
      '[######------------------] 25 %  12 000 events  4 000/s',
    );
    expect(barText({ events: 5, fraction: undefined }, 1)).toBe('5 events  5/s');
  });
});
