/** An erasure as its statements take it. */
export interface ErasedEntity {
  stream: string;
  hash: string;
  /** Its id; none where only the hash is known and nothing has that hash. */
  ids: readonly string[];
  below: ReadonlyMap<number, number>;
}

/** Whether a row is the entity's, told without naming it: statements that remove rows are kept by ClickHouse. */
export function hashIs(entityId: string): string {
  return `SHA256(concat(substringIndex(stream, '#', 1), char(0), ${entityId})) = unhex({hash:String})`;
}
