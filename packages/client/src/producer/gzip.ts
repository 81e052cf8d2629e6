type Bytes = Uint8Array<ArrayBuffer>;

/** The part of Node's own module that is used. */
interface Zlib {
  gzip(
    bytes: Bytes,
    options: { level: number },
    done: (error: Error | null, compressed: Bytes) => void,
  ): void;
}

interface Global {
  process?: { getBuiltinModule?: (name: string) => Zlib };
}

/** Undefined in browsers, and in Node before 20.16. */
const zlib = (globalThis as Global).process?.getBuiltinModule?.('node:zlib');

/** Compresses bytes. Node's own module keeps the event loop busy for a fifth of the time that a stream takes. */
export function gzip(bytes: Bytes): Promise<Bytes> {
  return zlib ? gzipInNode(bytes, zlib) : gzipInBrowser(bytes);
}

/** With the least effort: more of it costs more time than the network saves. */
function gzipInNode(bytes: Bytes, zlib: Zlib): Promise<Bytes> {
  return new Promise((resolve, reject) =>
    zlib.gzip(bytes, { level: 1 }, (error, compressed) => (error ? reject(error) : resolve(compressed))),
  );
}

/** Compresses with what browsers have. */
export async function gzipInBrowser(bytes: Bytes): Promise<Bytes> {
  const compressed = new Blob([bytes]).stream().pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(compressed).arrayBuffer());
}
