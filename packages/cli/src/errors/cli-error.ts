/** The arguments, a file or the profile are invalid. The message says how to correct them. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The reader of standard output, such as `head`, has closed it. */
export class BrokenPipeError extends Error {
  override readonly name = 'BrokenPipeError';
}

/** Standard output cannot be written, for example because the disk is full. */
export class OutputError extends Error {
  override readonly name = 'OutputError';
}

/** The user has interrupted the program. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
}
