/** Milliseconds to wait for Kafka, after which an answer omits what only Kafka knows. */
const patienceMs = 1000;

/** Resolves with the result of a request to Kafka, or with null if the request fails or takes longer than a second. */
export async function withinPatience<T>(result: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => (timer = setTimeout(resolve, patienceMs, null)));
  try {
    return await Promise.race([result, late]);
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}
