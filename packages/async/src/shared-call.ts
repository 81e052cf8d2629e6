/** A call whose result is shared: later callers get the promise of the first one. A call that failed is made again. */
export class SharedCall<T> {
  private promise: Promise<T> | undefined;

  constructor(private readonly call: () => Promise<T>) {}

  /** The promise of the call that was made; undefined before the first call, and after a failure. */
  get started(): Promise<T> | undefined {
    return this.promise;
  }

  /** Resolves with the result of the call. @throws its error */
  result(): Promise<T> {
    this.promise ??= this.call().catch((error: unknown) => {
      this.promise = undefined;
      throw error;
    });
    return this.promise;
  }
}
