/** What a command did with an event. An event that a worker parks is rejected and parked. */
export const deliveryOutcomes = [
  'handed_out',
  'acknowledged',
  'rejected',
  'expired',
  'released',
  'parked',
  'replayed',
  'discarded',
] as const;

type DeliveryOutcome = (typeof deliveryOutcomes)[number];

/** Numbers of events by what a command did with them. */
export type DeliveryTally = Partial<Record<DeliveryOutcome, number>>;

/** Counts one more event. */
export function addTo(tally: DeliveryTally, outcome: DeliveryOutcome): void {
  tally[outcome] = (tally[outcome] ?? 0) + 1;
}
