import { exactJson } from './exact-json.js';
import { yamlOf } from '../yaml/yaml-of.js';
import type { Form } from './form.js';

/** YAML documents separated by `---`. */
export class YamlForm implements Form {
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
