import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkVersions, SeededRandom } from '#testkit';
import { mutants, mutantSize, scramble, type Mutant } from './mutants.js';
import { linesOf, simulate, type SimulatedRun } from './simulate.js';

/** What is needed of a line that the Go program prints with `-json`. */
interface PorcupineReport {
  verdict: 'linearizable' | 'not linearizable' | 'unknown';
  /** Number of answers that are neither accepted nor refused nor unknown. */
  unexpected: number;
}

interface Group {
  name: string;
  runs: SimulatedRun[];
  /** What Porcupine must say about each run; undefined if the runs may be right or wrong. */
  right: boolean | undefined;
  /** Whether nothing but answers and versions can be wrong, so both checkers must agree. */
  ofRegister: boolean;
}

const runsOfEachKind = 100;
const scrambledRuns = 2_000;
const scrambledSize = { writers: 5, entities: 1, events: 10 };

/** Returns seeded runs: right ones, mutants of each kind, and small ones that are changed at random. */
function makeGroups(seed: number): Group[] {
  const random = new SeededRandom(seed);
  const fresh = () => simulate(random.int(2 ** 31), mutantSize);
  const runs = Array.from({ length: runsOfEachKind }, fresh);
  const scrambled = Array.from({ length: scrambledRuns }, () => {
    const run = simulate(random.int(2 ** 31), scrambledSize);
    for (let changes = 1 + random.int(3); changes > 0; changes--) scramble(run, random);
    return run;
  });
  return [
    { name: 'not changed', runs, right: true, ofRegister: true },
    ...mutants.map((mutant) => groupOf(mutant, fresh, random)),
    {
      name: 'small, up to three attempts changed at random',
      runs: scrambled,
      right: undefined,
      ofRegister: true,
    },
  ];
}

function groupOf(
  { name, isOfRegister, mutate }: Mutant,
  fresh: () => SimulatedRun,
  random: SeededRandom,
): Group {
  const runs: SimulatedRun[] = [];
  while (runs.length < runsOfEachKind) {
    const run = fresh();
    if (mutate(run, random)) runs.push(run);
  }
  return { name, runs, right: !isOfRegister, ofRegister: isOfRegister };
}

/**
 * Compares the judgement of Porcupine with `checkVersions` on simulated runs, and prints how many runs of each kind
 * each finds wrong. Returns whether Porcupine judges every run of a known kind rightly, and `checkVersions` agrees about
 * every run whose answers and versions are all that may be wrong.
 */
export async function compareCheckers(program: string, seed: number): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-porcupine-'));
  const total = { runs: 0, misjudged: 0, differ: 0 };
  printRow(`Simulated runs, seed ${seed}, found wrong`, columns);
  for (const [kind, { name, runs, right, ofRegister }] of makeGroups(seed).entries()) {
    const files = runs.map((_, i) => join(folder, `${kind}-${i}.ndjson`));
    runs.forEach((run, i) => writeFileSync(files[i]!, linesOf(run)));
    const porcupine = await findWrong(program, files);
    const answersAlone = await findWrong(program, ['-answers-only', ...files]);
    const own = runs.map(({ attempts, stored }) => checkVersions(attempts, stored).length > 0);
    const onlyPorcupine = porcupine.filter((wrong, i) => wrong && !own[i]).length;
    const onlyOwn = own.filter((wrong, i) => wrong && !porcupine[i]).length;
    const found = [porcupine, answersAlone, own].map((list) => list.filter(Boolean).length);
    printRow(name, [runs.length, ...found, onlyPorcupine, onlyOwn]);
    total.runs += runs.length;
    if (right !== undefined) total.misjudged += porcupine.filter((wrong) => wrong === right).length;
    if (ofRegister) total.differ += onlyPorcupine + onlyOwn;
  }
  const { runs, misjudged, differ } = total;
  console.log(`Of ${runs} runs, Porcupine misjudges ${misjudged}; checkVersions disagrees about ${differ}.`);
  const isRight = misjudged === 0 && differ === 0;
  if (isRight) rmSync(folder, { recursive: true });
  else console.log(`The runs are kept in ${folder}`);
  return isRight;
}

const columns = ['runs', 'Porcupine', 'no read', 'own check', 'only Porc.', 'only own'];

function printRow(name: string, cells: readonly (string | number)[]): void {
  console.log(name.padEnd(68) + cells.map((cell) => `  ${String(cell).padStart(10)}`).join(''));
}

/** Returns for each file whether the Go program finds it wrong or does not finish. */
async function findWrong(program: string, args: readonly string[]): Promise<boolean[]> {
  const reports = await runPorcupine(program, args);
  return reports.map(({ verdict, unexpected }) => verdict !== 'linearizable' || unexpected > 0);
}

/** Runs the Go program on files, and resolves with its reports. @throws if it cannot read a file */
async function runPorcupine(program: string, args: readonly string[]): Promise<PorcupineReport[]> {
  const child = spawn(program, ['-json', ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (code !== 0 && code !== 1) throw new Error(`The Go program ended with ${String(code)}`);
  const lines = output.split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as PorcupineReport);
}
