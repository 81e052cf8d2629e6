import { describe, expect, it } from 'vitest';
import { Bulkhead } from './bulkhead.js';

const forever = new AbortController().signal;

describe('the bulkhead for reads', () => {
  it('runs a limited number of reads at once, and the next one in order when one ends', async () => {
    const bulkhead = new Bulkhead({ concurrent: 2, queued: 10, waitMs: 60_000 });
    const reads = [...'abcd'].map((name) => startRead(bulkhead, name));
    await settle();
    expect(started(reads)).toBe('ab');
    expect(bulkhead.hasFreeSlot).toBe(false);
    reads[1]?.finish();
    await settle();
    expect(started(reads)).toBe('abc');
    reads.forEach((read) => read.finish());
    await Promise.all(reads.map((read) => read.result));
    expect(started(reads)).toBe('abcd');
    expect(bulkhead.hasFreeSlot).toBe(true);
  });

  it('releases the slot when a read fails', async () => {
    const bulkhead = new Bulkhead({ concurrent: 1, queued: 0, waitMs: 1 });
    const failing = () => Promise.reject(new Error('no'));
    await expect(bulkhead.run(forever, failing)).rejects.toThrow('no');
    await expect(bulkhead.run(forever, async () => 'yes')).resolves.toBe('yes');
  });

  it('refuses reads that do not fit into the queue', async () => {
    const bulkhead = new Bulkhead({ concurrent: 1, queued: 1, waitMs: 60_000 });
    const reads = [startRead(bulkhead, 'a'), startRead(bulkhead, 'b')];
    await expect(bulkhead.run(forever, async () => 1)).rejects.toMatchObject({ code: 'overloaded' });
    reads.forEach((read) => read.finish());
    await Promise.all(reads.map((read) => read.result));
  });

  it('refuses reads that have waited too long, and keeps the slots of the others', async () => {
    const bulkhead = new Bulkhead({ concurrent: 1, queued: 5, waitMs: 5 });
    const first = startRead(bulkhead, 'a');
    await expect(bulkhead.run(forever, async () => 1)).rejects.toMatchObject({ code: 'overloaded' });
    first.finish();
    await first.result;
    await expect(bulkhead.run(forever, async () => 2)).resolves.toBe(2);
  });

  it('does not start a read whose client disconnected while it waited', async () => {
    const bulkhead = new Bulkhead({ concurrent: 1, queued: 5, waitMs: 60_000 });
    const first = startRead(bulkhead, 'a');
    const client = new AbortController();
    const second = startRead(bulkhead, 'b', client.signal);
    client.abort(new Error('gone'));
    await expect(second.result).rejects.toThrow('gone');
    first.finish();
    await first.result;
    expect(second.started).toBe(false);
    await expect(bulkhead.run(forever, async () => 3)).resolves.toBe(3);
  });

  it('reports that the client has disconnected, whatever error the store throws for the abort', async () => {
    const bulkhead = new Bulkhead({ concurrent: 1, queued: 5, waitMs: 60_000 });
    const client = new AbortController();
    const read = bulkhead.run(client.signal, async (signal) => {
      client.abort(new Error('gone'));
      throw new Error(`socket closed: ${signal.aborted}`);
    });
    await expect(read).rejects.toThrow('gone');
  });
});

interface StartedRead {
  name: string;
  started: boolean;
  finish(): void;
  result: Promise<unknown>;
}

function startRead(bulkhead: Bulkhead, name: string, signal = forever): StartedRead {
  let finish: () => void = () => undefined;
  const done = new Promise<void>((resolve) => (finish = resolve));
  const read: StartedRead = { name, started: false, finish, result: Promise.resolve() };
  read.result = bulkhead.run(signal, async () => {
    read.started = true;
    await done;
  });
  return read;
}

function started(reads: StartedRead[]): string {
  return reads
    .filter((read) => read.started)
    .map((read) => read.name)
    .join('');
}

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
