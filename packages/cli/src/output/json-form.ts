import { exactJson } from './exact-json.js';
import type { OutputFormat } from './form.js';

/** Writes items as one JSON document: an array with one item per line, or a single item. */
export class JsonFormat implements OutputFormat {
  private separator = '';

  constructor(private readonly single: boolean) {}

  open(): string {
    return this.single ? '' : '[';
  }

  item(item: object): string {
    const text = `${this.separator}${this.single ? '' : '\n  '}${exactJson(item)}`;
    this.separator = ',';
    return text;
  }

  close(): string {
    return this.single ? '\n' : this.separator ? '\n]\n' : ']\n';
  }
}
