import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { until } from '#testkit';

/** The compiled file is dist/test/kafka-streams/kafka-streams.js. */
const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The topics, windows and joins of a comparison, as JSON for Comparison.java, the program that runs Kafka Streams. */
interface KafkaStreamsPlan {
  brokers: string;
  /** The consumer group, and the prefix of internal topics. */
  application: string;
  inputs: {
    topic: string;
    key: string;
    /** The number of records of an input without the closing events (`events`), and with them (`end`). */
    events: number;
    end: number;
    windows: { id: number; kind: string; size: number; every: number; lateness: number; updates: boolean }[];
  }[];
  /**
   * The sides are indexes of inputs; the lateness is the grace period. `split`: the left side has the amounts of at
   * least 0, and the right side the others.
   */
  joins: {
    id: number;
    left: number;
    right: number;
    split: boolean;
    kind: string;
    before: number;
    after: number;
    lateness: number;
  }[];
}

/** Runs Kafka Streams in a process of its own, over the topics of a plan, with the results of windows or joins. */
export class KafkaStreamsProcess<Result> {
  private readonly through = new Set<number>();
  private readonly results = new Map<number, Result[]>();
  private lines = 0;
  private complaints = '';

  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
    private readonly inputs: number,
  ) {
    createInterface({ input: child.stdout! }).on('line', (line) => this.take(line));
    child.stderr!.on('data', (piece: Buffer) => (this.complaints += piece.toString()));
  }

  static async start<Result>(plan: KafkaStreamsPlan): Promise<KafkaStreamsProcess<Result>> {
    const folder = await mkdtemp(join(tmpdir(), 'tributary-kafka-streams-'));
    const file = join(folder, 'plan.json');
    await writeFile(file, JSON.stringify({ ...plan, folder }));
    const source = join(root, 'test', 'kafka-streams', 'Comparison.java');
    const args = ['-Xmx512m', '-cp', join(jarsFolder(), '*'), source, file];
    const child = spawn('java', args, { stdio: ['ignore', 'pipe', 'pipe'] });
    return new KafkaStreamsProcess<Result>(child, folder, plan.inputs.length);
  }

  /** Resolves when all events have reached the windows and joins. */
  async hasRead(): Promise<void> {
    await this.moves('Kafka Streams reads', () => this.through.size === this.inputs);
  }

  /**
   * Returns the results of each window or join by its id, in the order of their output, when all closing events have
   * been read.
   */
  async end(): Promise<ReadonlyMap<number, Result[]>> {
    await this.moves('Kafka Streams ends', () => this.child.exitCode !== null);
    if (this.child.exitCode !== 0) throw new Error(`Kafka Streams has failed:\n${this.complaints}`);
    return this.results;
  }

  async stop(): Promise<void> {
    this.child.kill('SIGKILL');
    await rm(this.folder, { recursive: true, force: true });
  }

  private async moves(what: string, condition: () => boolean): Promise<void> {
    await until(() => condition() || this.hasFailed(), {
      ...{ what, progress: () => this.lines, diagnosis: () => this.complaints, patienceMs: 120_000 },
    });
    if (this.hasFailed()) throw new Error(`Kafka Streams has failed:\n${this.complaints}`);
  }

  private hasFailed(): boolean {
    return this.child.signalCode !== null || (this.child.exitCode ?? 0) !== 0;
  }

  private take(line: string): void {
    this.lines += 1;
    const said = JSON.parse(line) as { through: number } | { id: number };
    if ('through' in said) {
      this.through.add(said.through);
      return;
    }
    const { id, ...result } = said;
    const before = this.results.get(id);
    if (before) before.push(result as Result);
    else this.results.set(id, [result as Result]);
  }
}

/** Returns the folder in which check.mjs has stored the jars. */
function jarsFolder(): string {
  const folder = process.env.KAFKA_STREAMS_JARS;
  if (!folder) throw new Error('KAFKA_STREAMS_JARS is not set: npm run check:semantics fetches them');
  return folder;
}
