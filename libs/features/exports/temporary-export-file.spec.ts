import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { completeFile } from './temporary-export-file.js';

const of = (...pieces: string[]) =>
  Readable.from(
    pieces.map((piece) => Buffer.from(piece)),
    { objectMode: false },
  );

describe('a file that is stored until it is complete', () => {
  it('is read from its beginning', async () => {
    const file = await completeFile(of('PAR1', 'rows', 'PAR1'), { format: 'parquet', mostBytes: 12 });
    expect(file.bytes).toBe(12);
    expect((await buffer(file.read())).toString()).toBe('PAR1rowsPAR1');
  });

  it('is refused when it is too large, with advice', async () => {
    const source = of('PAR1', 'rows', 'PAR1');
    const kept = completeFile(source, { format: 'parquet', mostBytes: 11 });
    await expect(kept).rejects.toMatchObject({ code: 'query_too_expensive' });
    await expect(kept).rejects.toThrow('Narrow the range');
    expect(source.destroyed).toBe(true);
  });

  it.each(['', 'PAR', 'PAR1rows', 'ARROW1'])('is refused when its end is missing: %j', async (part) => {
    const kept = completeFile(of(part), { format: 'parquet', mostBytes: 100 });
    await expect(kept).rejects.toThrow('did not complete the export');
  });

  it('is refused when its source fails', async () => {
    const source = new Readable({ read: () => source.destroy(new Error('gone')) });
    await expect(completeFile(source, { format: 'arrow', mostBytes: 100 })).rejects.toThrow('gone');
  });
});
