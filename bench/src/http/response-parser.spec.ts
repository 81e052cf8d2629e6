import { describe, expect, it } from 'vitest';
import { ResponseParser, type ParsedResponse } from './response-parser.js';

function parse(text: string, pieceSize: number): ParsedResponse[] {
  const parser = new ResponseParser({ keepBody: true });
  const bytes = Buffer.from(text);
  const answers: ParsedResponse[] = [];
  for (let at = 0; at < bytes.length; at += pieceSize) {
    const answer = parser.push(bytes.subarray(at, at + pieceSize));
    if (answer) answers.push(answer);
  }
  return answers;
}

describe.each([1, 3, 1000])('an answer in pieces of %i bytes', (pieceSize) => {
  it('ends after its content length', () => {
    const text = 'HTTP/1.1 201 Created\r\nContent-Length: 5\r\n\r\nhello';
    expect(parse(text, pieceSize)).toEqual([{ status: 201, body: Buffer.from('hello'), bodyBytes: 5 }]);
  });

  it('ends with its last chunk', () => {
    const text =
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\nA\r\n, chunked!\r\n0\r\n\r\n';
    expect(parse(text, pieceSize)).toEqual([
      { status: 200, body: Buffer.from('hello, chunked!'), bodyBytes: 15 },
    ]);
  });

  it('has no body if it declares none', () => {
    expect(parse('HTTP/1.1 204 No Content\r\n\r\n', pieceSize)).toEqual([
      { status: 204, body: Buffer.alloc(0), bodyBytes: 0 },
    ]);
  });
});

describe('answers on one connection', () => {
  it('are parsed one after another', () => {
    const parser = new ResponseParser({ keepBody: false });
    const one = Buffer.from('HTTP/1.1 201 Created\r\ncontent-length: 2\r\n\r\n{}');
    const two = Buffer.from('HTTP/1.1 503 Busy\r\ncontent-length: 2\r\n\r\n{}');
    expect(parser.push(one)?.status).toBe(201);
    expect(parser.push(two)?.status).toBe(503);
  });

  it('are refused if they are not HTTP', () => {
    expect(() => parse('SSH-2.0-OpenSSH\r\n\r\n', 1000)).toThrow('not an HTTP/1.1 answer');
  });
});
