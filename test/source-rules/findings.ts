/** What a rule found. Problems fail its spec. Hints say which number can be lowered, and nobody is stopped by them. */
export interface Findings {
  problems: string[];
  hints: string[];
}

/** Prints the hints into the output of the spec. */
export function tellHints({ hints }: Findings): void {
  if (hints.length > 0) console.warn([...hints, 'npm run lower:source-rules lowers them'].join('\n'));
}
