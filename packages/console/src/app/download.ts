/** A larger file is for the command line: the browser holds the file until it is saved. */
const mostBytes = 256 * 1024 * 1024;

/**
 * Reads a file to its end and saves it. An incomplete file is an error and saves nothing.
 * @param instead what to use for a larger file
 */
export async function download(
  body: ReadableStream<Uint8Array>,
  name: string,
  instead: string,
): Promise<void> {
  const pieces: BlobPart[] = [];
  let size = 0;
  for (const reader = body.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > mostBytes) {
      await reader.cancel();
      throw new Error(`The file has more than 256 MiB. Use the command line: ${instead}.`);
    }
    pieces.push(value as BlobPart);
  }
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(pieces));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
