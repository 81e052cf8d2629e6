/**
 * `npm run draw:words [-- SEED]`: prints thirty sentences of comments and pages, and thirty names of exported types, at random.
 * A reader who does not know the project says what each of them means; twenty-nine of thirty must be right.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const count = 30;
const seed = Number(process.argv[2] ?? Date.now() % 1_000_000);
if (!Number.isSafeInteger(seed)) throw new Error('The seed must be a whole number: npm run draw:words -- 42');

/** Mulberry32: the same seed draws the same sentences. */
function randomOf(state) {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function draw(all, random) {
  const left = [...new Set(all)].sort();
  return Array.from(
    { length: Math.min(count, left.length) },
    () => left.splice(Math.floor(random() * left.length), 1)[0],
  );
}

const files = execFileSync('git', ['ls-files', '*.ts', '*.md'], { encoding: 'utf8' }).trim().split('\n');
const texts = files.map((file) => [file, readFileSync(file, 'utf8')]);

/** The doc and line comments of a source, one text each. */
function commentsIn(source) {
  const blocks = [...source.matchAll(/\/\*\*([\s\S]*?)\*\//g)].map(([, text]) =>
    text.replaceAll(/^\s*\* ?/gm, ''),
  );
  const lines = [...source.matchAll(/(?:^\s*\/\/ .*\n)+/gm)].map(([text]) =>
    text.replaceAll(/^\s*\/\/ /gm, ''),
  );
  return [...blocks, ...lines].map((text) => text.split(/^\s*@/m)[0]);
}

/** The paragraphs of a page: no code, tables or headings. */
function paragraphsIn(page) {
  const prose = page.replaceAll(/^```[\s\S]*?^```/gm, '');
  return prose.split(/\n\s*\n/).filter((text) => !/^[#|<>]/.test(text.trim()));
}

function sentencesOf([file, text]) {
  const parts = file.endsWith('.md') ? paragraphsIn(text) : commentsIn(text);
  return parts
    .flatMap((part) =>
      part
        .replaceAll(/\s+/g, ' ')
        .trim()
        .split(/(?<=[.:;]) (?=[A-Z`])/),
    )
    .filter((sentence) => sentence.split(' ').length > 3)
    .map((sentence) => `${file}: ${sentence}`);
}

const random = randomOf(seed);
console.log(`seed ${seed}\n\nSentences\n`);
draw(texts.flatMap(sentencesOf), random).forEach((sentence, i) => console.log(`${i + 1}. ${sentence}`));
const names = texts
  .filter(([file]) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
  .flatMap(([file, text]) =>
    [...text.matchAll(/^export (?:abstract )?(?:class|interface|type) (\w+)/gm)].map(
      ([, name]) => `${name} (${file})`,
    ),
  );
console.log('\nTypes\n');
draw(names, random).forEach((name, i) => console.log(`${i + 1}. ${name}`));
