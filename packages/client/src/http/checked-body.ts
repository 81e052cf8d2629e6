/** Reads a body on demand. If reading fails, the reader gets the error that `fail` throws. */
export function checkedBody(
  body: ReadableStream<Uint8Array>,
  fail: (error: unknown) => never,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read().catch(fail);
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
