import type { EpochMicros } from '#json';

/**
 * Microseconds by which the records of a partition may be out of the order of their ingestion: writers stamp an event
 * when its request arrives, and append it some milliseconds later.
 */
export const ingestionDisorder: EpochMicros = 1_000_000;

/**
 * Follows the ingestion times of one partition. All events that count as ingested up to `time` have been read, because a
 * record that comes later than `ingestionDisorder` counts as ingested after it. The times at which events count as
 * ingested depend on the records alone, and on saved claims that a partition was read to its end (`advance`).
 */
export class IngestionClock {
  constructor(private value: EpochMicros | null) {}

  /** The time up to which all ingested events have been read; null before the first. */
  get time(): EpochMicros | null {
    return this.value;
  }

  /**
   * Returns the time since which the next event counts as ingested.
   * @param now The current time: an event with a later one does not advance the clock beyond it.
   */
  read(ingestedAt: EpochMicros, now: EpochMicros): EpochMicros {
    const known = this.value === null ? ingestedAt : Math.max(ingestedAt, this.value + 1);
    this.advance(Math.min(ingestedAt, now) - ingestionDisorder);
    return known;
  }

  /** Declares that all events that were ingested up to this time have been read. */
  advance(time: EpochMicros): void {
    this.value = Math.max(this.value ?? time, time);
  }
}
