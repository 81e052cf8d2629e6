import { type NewEvent, type Producer, type Tributary, visibleText } from '#client';
import type { ParsedArguments } from '../arguments/parse.js';
import { UsageError } from '../errors/cli-error.js';
import type { ExitCode } from '../errors/exit-code.js';
import { messageOf } from '../errors/message-of.js';
import { linesOf, readLine, openSource, type ProduceInput } from '../producing/input.js';
import { ProduceResult } from '../producing/produce-result.js';
import { ProgressBar } from '../producing/progress-bar.js';
import { untilQueryable } from '../producing/until-queryable.js';
import type { CommandSession } from '../session/session.js';
import type { Command } from './command.js';

/** Most events of one request. */
const mostAtomic = 10_000;

export const produce: Command = {
  name: 'produce',
  summary: 'Writes events, one JSON object per line, from standard input or a file.',
  positionals: [
    { name: 'STREAM', optional: true, completes: 'streams', about: 'stream of events without one' },
    { name: 'FILE', optional: true, about: 'file; default: standard input' },
  ],
  options: {
    type: { value: 'TYPE', about: 'type of events without one' },
    'expected-version': {
      ...{ value: 'N', least: 0 },
      about: 'write only if the entity has this version; 0: only new entities',
    },
    atomic: { about: 'write all events together, or none; with --expected-version of one entity' },
    wait: { about: 'wait until the events can be queried' },
  },
  details:
    'A refused line is written to standard error with its number and the reason, and the exit code is 3; it is\n1 if the input has no event. An event without an event_id gets one, so a second run of the command writes\nother events.',
  effect: 'writes',
  async run(session, input) {
    const source = openSource(input.optionalWord('FILE'), session.terminal);
    const client = await session.client();
    const production = new Production(session, source, input);
    const code = await (input.flag('atomic') ? production.runAtomic(client) : production.run(client));
    if (input.flag('wait')) await untilQueryable(client, { signal: session.signal });
    return code;
  },
};

class Production {
  private readonly produced = new ProduceResult();
  private readonly bar: ProgressBar;
  private bytesRead = 0;

  constructor(
    private readonly session: CommandSession,
    private readonly source: ProduceInput,
    private readonly input: ParsedArguments,
  ) {
    this.bar = new ProgressBar(session.terminal.stderr);
  }

  async run(client: Tributary): Promise<ExitCode> {
    try {
      await this.sendAll(client);
    } finally {
      this.say(this.produced.toString());
    }
    return this.produced.exitCode;
  }

  /** Writes all lines with one request. @throws the first error: no line is written, unless there was no answer in time */
  async runAtomic(client: Tributary): Promise<ExitCode> {
    const { expected_version, ...defaults } = this.defaults;
    const events: NewEvent[] = [];
    for await (const line of linesOf(this.source.stream)) {
      if (line instanceof Error) throw line;
      if (line.trim() === '') continue;
      if (events.length === mostAtomic) throw new UsageError(`--atomic writes at most ${mostAtomic} events.`);
      events.push(readLine(line, events.length === 0 ? { ...defaults, expected_version } : defaults));
    }
    const options = { atomic: true, signal: this.session.signal };
    const { warnings = [] } = events.length > 0 ? await client.writeBatch(events, options) : {};
    for (const warning of warnings) this.say(visibleText(warning));
    this.produced.accepted = events.length;
    this.say(this.produced.toString());
    return this.produced.exitCode;
  }

  private async sendAll(client: Tributary): Promise<void> {
    await using producer = client.producer({ onWarning: (warning) => this.say(visibleText(warning)) });
    await this.send(producer);
    await producer.flush({ signal: this.session.signal });
  }

  private async send(producer: Producer): Promise<void> {
    let number = 0;
    const { signal } = this.session;
    signal.addEventListener('abort', () => this.source.stream.destroy(), { once: true });
    for await (const line of linesOf(this.source.stream)) {
      signal.throwIfAborted();
      number++;
      if (line instanceof Error) {
        this.reject(number, line);
        continue;
      }
      this.bytesRead += Buffer.byteLength(line) + 1;
      if (line.trim() !== '') await this.sendLine(producer, { line, number });
      if (this.produced.fatal !== undefined) return this.say(`Lines after ${number} were not sent.`);
    }
  }

  private async sendLine(producer: Producer, at: { line: string; number: number }): Promise<void> {
    await producer.ready();
    try {
      const sent = producer.send(readLine(at.line, this.defaults), { signal: this.session.signal });
      sent.then(this.accept, (error: unknown) => this.reject(at.number, error));
    } catch (error) {
      this.reject(at.number, error);
    }
  }

  /** The members of events that do not have them. */
  private get defaults() {
    return {
      ...{ stream: this.input.optionalWord('STREAM'), event_type: this.input.text('type') },
      expected_version: this.input.whole('expected-version'),
    };
  }

  private readonly accept = () => {
    this.produced.accepted++;
    this.draw();
  };

  private reject(number: number, error: unknown): void {
    if (this.session.signal.aborted) return this.produced.interrupt();
    this.produced.fail(error);
    if (!this.produced.repeats(error)) this.say(`line ${number}: ${messageOf(error)}`);
    this.draw();
  }

  private draw(): void {
    const { bytes } = this.source;
    const fraction = bytes ? Math.min(1, this.bytesRead / bytes) : undefined;
    this.bar.update({ events: this.produced.count, fraction });
  }

  private say(line: string): void {
    this.bar.clear();
    this.session.report(line);
  }
}
