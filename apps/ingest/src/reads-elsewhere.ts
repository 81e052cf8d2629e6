/** Returns the sentence in the answer for an address that ingest does not have. */
export function readsElsewhere(): string {
  return (
    'This port only accepts writes. Reads are on the ports of the gateway (3900 by default, and 3902 with an API ' +
    'key); its core port (3900) lists the addresses of the API at /docs.'
  );
}
