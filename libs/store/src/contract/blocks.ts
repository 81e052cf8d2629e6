import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { encodeRecord, RecordReader } from '#contracts';
import { EventBlockBuilder } from '../blocks/event-block-builder.js';
import type { EventBlock } from '../blocks/event-block.js';
import type { EventRow } from '../store.js';
import { newStream, rowsOf } from './rows.js';
import type { StoreContract } from './store-contract.js';

/** A block as a materializer makes it: of the records that ingest has written of these rows. */
function blockOf(rows: readonly EventRow[]): EventBlock {
  const { stream, partition } = rows[0]!;
  const builder = new EventBlockBuilder({ stream, partition });
  const reader = new RecordReader();
  builder.begin();
  for (const row of rows) {
    reader.read(Buffer.from(encodeRecord(row)));
    builder.add(reader, row.offset);
  }
  const block = builder.finish();
  for (const [i, { version }] of rows.entries()) if (version !== null) block.setVersion(i, version);
  return block;
}

/** Rows in the store's own form are the rows that they were made of. */
export function describeBlocks(contract: StoreContract): void {
  describe('writing blocks', () => {
    const rows = (stream: string, partition: number) =>
      rowsOf(stream, 3, (i) => ({
        partition,
        entity_id: i === 1 ? null : `ent\u0000ity "${i}" 🎉`,
        version: i === 1 ? null : i + 1,
        schema_version: i === 2 ? 7 : null,
        metadata: i === 2 ? '{"source":"wéb"}' : '{}',
        data: `{"n":9007199254740993,"d":0.10,"text":"${'ü'.repeat(i * 300)}"}`,
      }));

    it('keeps the same as writing the rows', async () => {
      const [asRows, asBlocks] = [newStream(), newStream()];
      await contract.write([...rows(asRows, 0), ...rows(asRows, 300)]);
      const made = [rows(asBlocks, 0), rows(asBlocks, 300)];
      await contract.store.writer.appendBlocks(made.map(blockOf), randomUUID());
      const plain = (await contract.eventsOf(asRows)).map(({ event_id: _, ...event }) => event);
      const blocks = await contract.eventsOf(asBlocks);
      expect(blocks.map(({ event_id: _, ...event }) => event)).toEqual(
        plain.map((event) => ({ ...event, stream: asBlocks })),
      );
      expect(blocks.map(({ event_id }) => event_id).sort()).toEqual(
        made
          .flat()
          .map(({ event_id }) => event_id)
          .sort(),
      );
    });

    it('writes nothing of empty ones', async () => {
      const stream = newStream();
      const block = blockOf(rows(stream, 0));
      await contract.store.writer.appendBlocks([block.slice(1, 1), block.slice(2, 3)], randomUUID());
      await contract.store.writer.appendBlocks([block.slice(0, 0)], randomUUID());
      expect((await contract.eventsOf(stream)).map(({ offset }) => offset)).toEqual([2]);
    });
  });
}
