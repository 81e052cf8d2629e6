/**
 * Health check of a container: requests the URL of the argument, by default `/health/live` on the port of the app that
 * runs in the container. Exits with 0 if the answer is 200, else with 1.
 */
const ports = {
  GATEWAY_CORE_PORT: 3900,
  INGEST_PORT: 3901,
  MATERIALIZER_PORT: 3903,
  PROCESSOR_PORT: 3904,
};

const addresses = process.argv[2]
  ? [process.argv[2]]
  : Object.entries(ports).map(([name, port]) => `http://127.0.0.1:${process.env[name] || port}/health/live`);

/**
 * Returns the status of the first URL that answers, because only one of the four apps runs.
 * @throws AggregateError if no URL answers
 */
async function status() {
  const answers = addresses.map((address) => fetch(address, { signal: AbortSignal.timeout(4000) }));
  return (await Promise.any(answers)).status;
}

try {
  const answer = await status();
  console.log(`The app answers ${answer}.`);
  process.exit(answer === 200 ? 0 : 1);
} catch ({ errors }) {
  console.log(`No app answers: ${errors.map(({ cause, message }) => cause?.message ?? message).join('; ')}`);
  process.exit(1);
}
