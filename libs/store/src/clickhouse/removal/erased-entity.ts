/** The erasure of one entity, in the form that the SQL statements use. */
export interface EntityErasureParams {
  stream: string;
  hash: string;
  /** The entity's id; empty if only the hash is known and no stored row matches it. */
  ids: readonly string[];
  below: ReadonlyMap<number, number>;
}

/**
 * Returns a condition for rows of the entity that contains only its hash: ClickHouse keeps the text of DELETE
 * statements.
 */
export function entityHashCondition(entityId: string): string {
  return `SHA256(concat(substringIndex(stream, '#', 1), char(0), ${entityId})) = unhex({hash:String})`;
}
