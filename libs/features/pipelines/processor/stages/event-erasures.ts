import type { ErasureLookup } from '#engine';
import type { StreamId } from '#event';
import type { PipelineEvent } from '#features/pipelines/computation';

/** Looks up whether events that a job keeps for later, such as dead letters, were erased meanwhile. */
export class EventErasures {
  /** @param idOf returns the id of a stream that the job reads; undefined for any other stream */
  constructor(
    private readonly erasures: ErasureLookup,
    private readonly idOf: (stream: string) => StreamId | undefined,
  ) {}

  /** Returns whether the entity of the event, or of the event that it has joined, was erased after that was written. */
  include({ event: { entity_id }, origin: { stream, partition, offset }, joined }: PipelineEvent): boolean {
    if (joined && this.include(joined)) return true;
    const id = this.idOf(stream);
    if (entity_id === null || !id || !this.erasures.concern(id)) return false;
    return offset < this.erasures.endOf({ stream: id, partition }, entity_id);
  }
}
