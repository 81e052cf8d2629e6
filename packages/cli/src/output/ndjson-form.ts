import { exactJson } from './exact-json.js';
import type { OutputFormat } from './form.js';

/** One JSON object per line. */
export const ndjsonForm: OutputFormat = {
  open: () => '',
  item: (item) => `${exactJson(item)}\n`,
  close: () => '',
};
