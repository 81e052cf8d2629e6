/** Whether an offset was committed for another topic of the name: where either is not known, it counts. */
export function isOfAnother(committedFor: string | undefined, life: string | undefined): boolean {
  return committedFor !== undefined && life !== undefined && committedFor !== life;
}
