import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { IdWindow, type Control } from '#dataflow';
import { SourceTask, type SourceTaskOptions } from './source-task.js';

const idleAfterMs = 30_000;

describe('a partition of a source at its end', () => {
  let nowMs: number;
  let told: Control[];
  let task: SourceTask;

  beforeEach(() => {
    [nowMs, told] = [1_000_000, []];
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
    task = new SourceTask({
      state: { partition: 0, next: 5, end: 5, watermark: 100 },
      stream: 'orders',
      window: new IdWindow({ records: 10, milliseconds: 1000 }),
      current: () => ({ pipeline: { idleAfterMs }, fedBy: () => [{ topic: 't', partitions: 1 }] }),
      controls: { tell: async (control: Control) => void told.push(control) },
      now: () => nowMs * 1000,
    } as unknown as SourceTaskOptions);
  });
  afterEach(() => vi.restoreAllMocks());

  /** Looks every tenth of a second for that long. */
  const look = async (ms: number): Promise<Control | undefined> => {
    for (const until = nowMs + ms; nowMs < until;) {
      nowMs += 100;
      await task.tell();
    }
    return told.at(-1);
  };

  it('is idle when nothing has come for long', async () => {
    expect(await look(idleAfterMs - 100)).toMatchObject({ next: 5, watermark: 100, idle: false });
    expect(await look(100)).toMatchObject({ next: 5, idle: true });
  });

  it('is not idle because its process stood still: what came meanwhile has not been read', async () => {
    await look(1000);
    nowMs += 10 * idleAfterMs;
    expect(await look(100)).toMatchObject({ watermark: 100, idle: false });
    expect(await look(idleAfterMs - 100)).toMatchObject({ idle: false });
    expect(await look(100)).toMatchObject({ idle: true });
  });
});
