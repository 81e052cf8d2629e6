import { isCollection, isScalar, parseDocument, Scalar, visit, type ScalarTag } from 'yaml';

/** A number that keeps the digits of its source text. */
const exactNumber: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  identify: (value) => typeof value === 'number',
  test: /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/,
  resolve: (text) => Object.assign(new Scalar(Number(text)), { source: text }),
  stringify: ({ source, value }) => source ?? JSON.stringify(value),
};

/** Converts a JSON text to YAML in block style, with every digit of its numbers. */
export function yamlOf(json: string): string {
  const document = parseDocument(json, { customTags: (tags) => [exactNumber, ...tags], version: '1.2' });
  visit(document, (_key, node) => {
    if (isCollection(node)) node.flow = node.items.length === 0;
    else if (isScalar(node) && typeof node.value === 'string') delete node.type;
  });
  return document.toString({ lineWidth: 0 });
}
