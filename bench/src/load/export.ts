import { request, type IncomingMessage } from 'node:http';

/** An export to read whole and to discard, with an API key. */
export interface ExportJob {
  url: string;
  key: string;
}

/** Size and duration of an export in seconds. */
export interface ExportResult {
  bytes: number;
  seconds: number;
}

async function main({ url, key }: ExportJob): Promise<ExportResult> {
  const startedAt = performance.now();
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { headers: { authorization: `Bearer ${key}` } }, resolve)
      .once('error', reject)
      .end();
  });
  if (answer.statusCode !== 200) throw new Error(`the export was answered with ${answer.statusCode}`);
  let bytes = 0;
  for await (const piece of answer as AsyncIterable<Buffer>) bytes += piece.length;
  return { bytes, seconds: (performance.now() - startedAt) / 1000 };
}

// A separate process: reading gigabytes would delay the pages that the benchmark's process times.
process.send!(await main(JSON.parse(process.argv[2]!) as ExportJob));
process.disconnect();
