/**
 * The erasure of one entity as values of SQL parameters: stream id, hash and id of the entity, and the end offset for
 * each partition.
 */
export interface EntityErasureParams {
  stream: string;
  hash: string;
  /** The id of the entity as the only element; empty if only its hash is known and no stored row matches the hash. */
  ids: readonly string[];
  below: ReadonlyMap<number, number>;
}

/**
 * Returns an SQL condition for the rows of an erased entity. The condition contains only the entity's hash and not its
 * id, because ClickHouse keeps the text of DELETE statements.
 */
export function entityHashCondition(entityId: string): string {
  return `SHA256(concat(substringIndex(stream, '#', 1), char(0), ${entityId})) = unhex({hash:String})`;
}
