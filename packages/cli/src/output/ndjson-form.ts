import { exactJson } from './exact-json.js';
import type { Form } from './form.js';

/** One JSON object per line. */
export const ndjsonForm: Form = {
  open: () => '',
  item: (item) => `${exactJson(item)}\n`,
  close: () => '',
};
