/** The exit codes of the program. */
export const exitCodes = {
  done: 0,
  /** `diff` found a difference, or `doctor` found a problem. */
  differs: 1,
  /** The arguments, a file or the profile are invalid. No request was sent. */
  usage: 2,
  /** Tributary refused a request or an event. */
  refused: 3,
  /** No answer arrived from Tributary, or the answer asks the caller to try again later. */
  unreachable: 4,
  /** A bug in this program, or standard output cannot be written. */
  broken: 70,
  /** Ctrl-C. */
  interrupted: 130,
} as const;

/** An exit code of the program `tributary`. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
