import { describe, expect, it } from 'vitest';
import { ProgressDisplay } from './progress.js';

function progress(live: boolean) {
  const written: string[] = [];
  let now = 1000;
  const bar = new ProgressDisplay({
    label: 'flights',
    total: 1000,
    live,
    write: (text) => void written.push(text),
    now: () => now,
  });
  return { bar, written, pass: (ms: number) => void (now += ms) };
}

describe('progress without a terminal', () => {
  it('is one line for every quarter', () => {
    const { bar, written, pass } = progress(false);
    for (let i = 0; i < 10; i++) {
      pass(100);
      bar.add(100);
    }
    bar.end();
    expect(written).toEqual([
      '  flights 30 %, 300 of 1 000, 1 000 events/s\n',
      '  flights 50 %, 500 of 1 000, 1 000 events/s\n',
      '  flights 80 %, 800 of 1 000, 1 000 events/s\n',
      '  flights 100 %, 1 000 of 1 000, 1 000 events/s\n',
    ]);
  });
});

describe('progress in a terminal', () => {
  it('redraws one line, at most ten times a second, and ends it', () => {
    const { bar, written, pass } = progress(true);
    for (let i = 0; i < 10; i++) {
      pass(50);
      bar.add(100);
    }
    bar.end();
    expect(written.at(-1)).toBe('\n');
    expect(written.slice(0, -1).every((text) => text.startsWith('\r') && !text.includes('\n'))).toBe(true);
    expect(written.length).toBeLessThanOrEqual(7);
    expect(written.at(-2)).toContain('100 %, 1 000 of 1 000, 2 000 events/s');
  });
});
