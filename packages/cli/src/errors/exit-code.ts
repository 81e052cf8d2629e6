/** What the program says with its exit code. */
export const exitCodes = {
  done: 0,
  /** `diff` found a difference, or `doctor` something that needs to be mended. */
  differs: 1,
  /** The arguments, a file or the profile are wrong. Nothing was sent. */
  usage: 2,
  /** Tributary refused a request or an event. */
  refused: 3,
  /** No answer came, or an answer that says to try again later. */
  unreachable: 4,
  /** An error of this program, or standard output cannot be written. */
  broken: 70,
  /** Ctrl-C. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
