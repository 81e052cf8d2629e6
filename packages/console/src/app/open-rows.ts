import { useEffect } from 'preact/hooks';

/** The keys of the rows that the user has opened. */
const opened = new Set<string>();

/** Marks a row as opened while its details are shown: a refresh keeps it. */
export function useOpenRow(key: string): void {
  useEffect(() => {
    opened.add(key);
    return () => void opened.delete(key);
  }, [key]);
}

/** Returns those keys whose rows are opened. */
export function openedOf(keys: readonly string[]): string[] {
  return keys.filter((key) => opened.has(key));
}
