import { describe, expect, it } from 'vitest';
import { ReadGate } from './read-gate.js';

const forever = new AbortController().signal;

describe('the gate to the reader', () => {
  it('lets so many read at once, and the next when one is done, in order', async () => {
    const gate = new ReadGate({ concurrent: 2, queued: 10, waitMs: 60_000 });
    const reads = [...'abcd'].map((name) => startRead(gate, name));
    await settle();
    expect(started(reads)).toBe('ab');
    reads[1]?.finish();
    await settle();
    expect(started(reads)).toBe('abc');
    reads.forEach((read) => read.finish());
    await Promise.all(reads.map((read) => read.result));
    expect(started(reads)).toBe('abcd');
  });

  it('gives the place back when a read fails', async () => {
    const gate = new ReadGate({ concurrent: 1, queued: 0, waitMs: 1 });
    const failing = () => Promise.reject(new Error('no'));
    await expect(gate.run(forever, failing)).rejects.toThrow('no');
    await expect(gate.run(forever, async () => 'yes')).resolves.toBe('yes');
  });

  it('refuses what the queue does not hold', async () => {
    const gate = new ReadGate({ concurrent: 1, queued: 1, waitMs: 60_000 });
    const reads = [startRead(gate, 'a'), startRead(gate, 'b')];
    await expect(gate.run(forever, async () => 1)).rejects.toMatchObject({ code: 'overloaded' });
    reads.forEach((read) => read.finish());
    await Promise.all(reads.map((read) => read.result));
  });

  it('refuses what has waited too long, and keeps the place of the others right', async () => {
    const gate = new ReadGate({ concurrent: 1, queued: 5, waitMs: 5 });
    const first = startRead(gate, 'a');
    await expect(gate.run(forever, async () => 1)).rejects.toMatchObject({ code: 'overloaded' });
    first.finish();
    await first.result;
    await expect(gate.run(forever, async () => 2)).resolves.toBe(2);
  });

  it('does not start a read whose client has gone while it waited', async () => {
    const gate = new ReadGate({ concurrent: 1, queued: 5, waitMs: 60_000 });
    const first = startRead(gate, 'a');
    const client = new AbortController();
    const second = startRead(gate, 'b', client.signal);
    client.abort(new Error('gone'));
    await expect(second.result).rejects.toThrow('gone');
    first.finish();
    await first.result;
    expect(second.started).toBe(false);
    await expect(gate.run(forever, async () => 3)).resolves.toBe(3);
  });

  it('says that the client has gone, whatever the store makes of the abort', async () => {
    const gate = new ReadGate({ concurrent: 1, queued: 5, waitMs: 60_000 });
    const client = new AbortController();
    const read = gate.run(client.signal, async (signal) => {
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

function startRead(gate: ReadGate, name: string, signal = forever): StartedRead {
  let finish: () => void = () => undefined;
  const done = new Promise<void>((resolve) => (finish = resolve));
  const read: StartedRead = { name, started: false, finish, result: Promise.resolve() };
  read.result = gate.run(signal, async () => {
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
