import type { OutputFormat, OutputFormatName } from './form.js';
import { printableJson, printableLines } from './printable.js';

/** Returns a form whose output has escaped control characters. JSON still has the same values. */
export function onTerminal(form: OutputFormat, name: OutputFormatName): OutputFormat {
  const shown = name === 'json' || name === 'ndjson' ? printableJson : printableLines;
  return {
    open: () => shown(form.open()),
    item: (item) => shown(form.item(item)),
    close: () => shown(form.close()),
  };
}
