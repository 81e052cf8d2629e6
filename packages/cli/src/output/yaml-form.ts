import { exactJson } from './exact-json.js';
import { yamlOf } from '../yaml/yaml-of.js';
import type { OutputFormat } from './form.js';

/** Writes each item as a YAML document; `---` separates them. */
export class YamlFormat implements OutputFormat {
  private separator = '';

  open(): string {
    return '';
  }

  item(item: object): string {
    const text = `${this.separator}${yamlOf(exactJson(item))}`;
    this.separator = '---\n';
    return text;
  }

  close(): string {
    return '';
  }
}
