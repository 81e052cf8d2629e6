import { memberText } from './json-tree.js';

/** Returns the text of the data in a pasted text, which is the data itself or a whole event. */
export function pastedData(text: string): string {
  return isEvent(text) ? memberText(text.trim(), 'data')! : text.trim();
}

function isEvent(text: string): boolean {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== 'object' || parsed === null) return false;
    return Object.hasOwn(parsed, 'data') && Object.hasOwn(parsed, 'event_type');
  } catch {
    // The text stays as it is: its error is shown when it is sent.
    return false;
  }
}
