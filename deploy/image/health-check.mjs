/**
 * What Docker asks in a container: whether the app in it is alive. An address may be given; without one it is
 * `/health/live` on the port of whichever app runs here. Ends with 0 when the answer is 200, else with 1.
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

/** The status of the first that answers at all: of four apps, one runs here. @throws AggregateError */
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
