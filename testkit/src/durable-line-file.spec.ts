import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DurableLineFile } from './durable-line-file.js';

const numbers = Array.from({ length: 500 }, (_, n) => ({ n }));

describe('DurableLineFile', () => {
  it('has each line in the file when its promise resolves, in the order of the calls', async () => {
    const lines = DurableLineFile.open('tributary-lines');
    await lines.append({ first: true });
    expect(readFileSync(lines.path, 'utf8')).toBe('{"first":true}\n');
    await Promise.all(numbers.map((line) => lines.append(line)));
    expect(lines.read()).toEqual([{ first: true }, ...numbers]);
    await lines.discard();
  });

  it('appends to the lines of an earlier run', async () => {
    const first = DurableLineFile.open('tributary-lines');
    await first.append(1);
    await first.close();
    const second = DurableLineFile.open('tributary-lines', first.path);
    await second.append(2);
    expect(second.read()).toEqual([1, 2]);
    await second.discard();
  });
});
