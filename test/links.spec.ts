import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const examples = readdirSync('examples').map((name) => join('examples', name));
const folders = ['.', 'bench', 'docs', 'docs/decisions', 'docs/runbooks', 'libs/core', ...examples];
const documents = folders.flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name)),
);

/** Returns the anchor that GitHub derives from a heading. */
function anchorOf(heading: string): string {
  const text = heading.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '');
  return text.trim().replaceAll(/\s/g, '-');
}

function problemOf(document: string, link: string): string | undefined {
  const [path = '', anchor] = link.split('#');
  const file = path === '' ? document : join(dirname(document), path);
  if (!existsSync(file)) return `${link}: there is no ${file}`;
  if (!anchor || !file.endsWith('.md')) return undefined;
  const headings = [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, text]) =>
    anchorOf(text ?? ''),
  );
  return headings.includes(anchor) ? undefined : `${link}: ${file} has no such heading`;
}

describe('the links of', () => {
  it.each(documents)('%s are valid', (document) => {
    const text = readFileSync(document, 'utf8').replace(/^```[\s\S]*?^```$/gm, '');
    const links = [...text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, link]) => link ?? '');
    expect(links.flatMap((link) => problemOf(document, link) ?? [])).toEqual([]);
  });
});

describe('the rows of tables in', () => {
  const pages = documents.filter((path) => /^(README|docs\/)/.test(path));

  it.each(pages)('%s have at most 140 characters', (document) => {
    const rows = readFileSync(document, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('|'));
    expect(rows.filter((row) => row.length > 140)).toEqual([]);
  });
});

it('the index of the decisions links each of them', () => {
  const index = readFileSync('docs/decisions/README.md', 'utf8');
  const files = readdirSync('docs/decisions').filter((name) => /^\d/.test(name));
  expect(files.filter((name) => !index.includes(`](${name})`))).toEqual([]);
});

describe('the files that are named in', () => {
  it.each(['CONTRIBUTING.md', 'docs/architecture.md'])('%s exist', (document) => {
    const text = readFileSync(document, 'utf8');
    const paths = [...text.matchAll(/`((?:apps|libs|packages|test|docs)\/[^`\s]+)`/g)].map(
      ([, path]) => path ?? '',
    );
    expect(paths.length).toBeGreaterThan(5);
    expect(paths.filter((path) => !existsSync(path))).toEqual([]);
  });
});

describe('the code in CONTRIBUTING.md', () => {
  const text = readFileSync('CONTRIBUTING.md', 'utf8');
  const withoutSpace = (code: string) => code.replaceAll(/\s+/g, '');
  const sources = [...text.matchAll(/`((?:apps|libs)\/[^`\s]+\.ts)`/g)].map(([, path = '']) => path);
  const code = withoutSpace(sources.map((path) => readFileSync(path, 'utf8')).join('\n'));

  it('is that of the files which it names', () => {
    const blocks = [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
    expect(blocks.length).toBe(4);
    for (const block of blocks) expect(code.includes(withoutSpace(block)), block).toBe(true);
  });
});
