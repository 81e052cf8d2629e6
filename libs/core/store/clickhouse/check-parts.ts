import { QueryTooExpensiveError, StoreUnavailableError } from '../errors.js';
import type { PartCheck, PartCheckLimits } from '../store.js';
import { quoteText } from './connection/sql-params.js';
import type { StoreClickHouseClient } from './connection/store-clickhouse-client.js';

const activeParts = `
SELECT table, name FROM system.parts WHERE active AND database = currentDatabase() ORDER BY table, name`;

/** ClickHouse's code for a part that is not active any more: a merge or a removal has read it and replaced it. */
const noSuchPart = 'error 232:';

/** Maximum number of characters of a message. */
const maxMessage = 500;

/**
 * Lets ClickHouse compare the files of all active parts with their checksums, one part after the other. Parts that are replaced
 * meanwhile are left out. @throws StoreUnavailableError, or the signal's reason
 */
export async function checkParts(
  connection: Pick<StoreClickHouseClient, 'select'>,
  { maxMs, signal }: PartCheckLimits,
): Promise<PartCheck> {
  const until = performance.now() + maxMs;
  const parts = await connection.select<[string, string]>(activeParts, { ...(signal && { signal }) });
  const found: PartCheck = { checked: 0, unchecked: 0, damaged: [] };
  for (const [index, [table, part]] of parts.entries()) {
    const leftMs = Math.ceil(until - performance.now());
    const result = leftMs > 0 ? await checkPart(connection, { table, part, leftMs, signal }) : 'too late';
    if (result === 'too late') {
      found.unchecked = parts.length - index;
      break;
    }
    if (result === 'replaced') continue;
    found.checked++;
    if (result !== 'sound') found.damaged.push({ table, part, message: result.damage.slice(0, maxMessage) });
  }
  return found;
}

interface CheckedPart {
  table: string;
  part: string;
  leftMs: number;
  signal: AbortSignal | undefined;
}

async function checkPart(
  connection: Pick<StoreClickHouseClient, 'select'>,
  { table, part, leftMs, signal }: CheckedPart,
): Promise<'sound' | 'replaced' | 'too late' | { damage: string }> {
  try {
    const [row] = await connection.select<[string, number, string]>(
      `CHECK TABLE {table:Identifier} PART ${quoteText(part)}`,
      {
        params: { table },
        settings: { check_query_single_value_result: 0, max_execution_time: Math.ceil(leftMs / 1000) },
        ...(signal && { signal }),
      },
    );
    const [, passes, message = ''] = row ?? [];
    return passes === 0 ? { damage: message } : 'sound';
  } catch (error) {
    if (error instanceof QueryTooExpensiveError) return 'too late';
    if (error instanceof StoreUnavailableError && error.message.includes(noSuchPart)) return 'replaced';
    throw error;
  }
}
