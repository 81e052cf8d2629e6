/** The arguments, a file or the profile are wrong: the message says what to write instead. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The reader of standard output has closed it. */
export class BrokenPipeError extends Error {
  override readonly name = 'BrokenPipeError';
}

/** Standard output cannot be written: the disk is full, for example. */
export class OutputError extends Error {
  override readonly name = 'OutputError';
}

/** The user has interrupted the program. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
}
