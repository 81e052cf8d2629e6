import type { ScrubPassProgress, ScrubPassStore } from '../scrub-passes.js';
import { RowTable } from './connection/row-table.js';
import { replacingInsert } from './connection/settings.js';
import type { ClickHouseConnection } from './connection/store-clickhouse-client.js';

const table = new RowTable<ScrubPassProgress>('scrub_passes', {
  request: (out, { request }) => out.string(request),
  stream: (out, { stream }) => out.string(stream),
  partition: (out, { partition }) => out.uint16(partition),
  compared: (out, { compared }) => out.int64(compared),
  repaired: (out, { repaired }) => out.int64(repaired),
  unlogged: (out, { unlogged }) => out.int64(unlogged),
  undecided: (out, { undecided }) => out.int64(undecided),
  is_complete: (out, { is_complete }) => out.raw(Buffer.of(is_complete ? 1 : 0)),
  updated_at: (out, { updated_at }) => out.int64(updated_at),
});

const passesSql = (condition: string): string => `
SELECT request, stream, partition, compared, repaired, unlogged, undecided, is_complete, toUnixTimestamp64Micro(updated_at)
FROM scrub_passes FINAL
WHERE ${condition}
ORDER BY request, stream, partition`;

/** Keeps the progress of requested passes in ClickHouse. */
export class ClickHouseScrubPasses implements ScrubPassStore {
  constructor(private readonly connection: ClickHouseConnection) {}

  save(progress: readonly ScrubPassProgress[]): Promise<void> {
    return table.insert(this.connection, [...progress], replacingInsert);
  }

  of(request: string): Promise<ScrubPassProgress[]> {
    return this.select('request = {request:String}', { request });
  }

  inPartition(stream: string, partition: number): Promise<ScrubPassProgress[]> {
    return this.select('stream = {stream:String} AND partition = {partition:UInt16}', { stream, partition });
  }

  private async select(condition: string, params: Record<string, unknown>): Promise<ScrubPassProgress[]> {
    type Row = [string, string, number, number, number, number, number, number, number];
    const rows = await this.connection.select<Row>(passesSql(condition), { params, purpose: 'lookup' });
    return rows.map(
      ([request, stream, partition, compared, repaired, unlogged, undecided, complete, updated_at]) => ({
        request,
        stream,
        partition,
        compared,
        repaired,
        unlogged,
        undecided,
        is_complete: complete === 1,
        updated_at,
      }),
    );
  }
}
