import { within } from '#async';

/** Milliseconds to wait for Kafka, after which an answer omits what only Kafka knows. */
const patienceMs = 1000;

/** Resolves with the result of a request to Kafka, or with null if the request fails or takes longer than a second. */
export function withinPatience<T>(result: Promise<T>): Promise<T | null> {
  return within(patienceMs, result, () => null).catch(() => null);
}
