import { Tributary, visibleText, type Fetch } from '#client';
import type { ParsedArguments } from '../arguments/parse.js';
import {
  connectionOf,
  type ConnectionSettings,
  requireConfirmed,
  requireSpelledOut,
} from '../connection/connection.js';
import { tracedFetch } from '../connection/traced-fetch.js';
import { UsageError } from '../errors/cli-error.js';
import type { OutputFormatName } from '../output/formats.js';
import { OutputWriter, OutputPipe } from '../output/output-writer.js';
import { ProfileStore } from '../profiles/profile-store.js';
import { isInteractive, requireYes, type CliProcess } from './terminal.js';

/** What a destructive command does, for its question. */
interface Confirmation {
  /** Sentences that say what the command will do. */
  what: string;
  /** Whether the command needs a confirmation without a terminal, too. */
  inPipes?: boolean;
}

/** What a running command works with: its arguments, output, connection and profiles. */
export class CommandSession {
  readonly output: OutputWriter;
  readonly profiles: ProfileStore;
  private readonly stderr: OutputPipe;
  private connected: Promise<ConnectionSettings> | undefined;

  constructor(
    readonly terminal: CliProcess,
    private readonly input: ParsedArguments,
  ) {
    const { stdout, stderr, env, signal, outputClosed } = terminal;
    const form =
      (input.text('output') as OutputFormatName | undefined) ?? (stdout.isTTY ? 'table' : 'ndjson');
    const width = stdout.isTTY ? (stdout.columns ?? 80) : Infinity;
    this.output = new OutputWriter(new OutputPipe(stdout, signal, outputClosed), {
      form,
      width,
      isTerminal: stdout.isTTY,
    });
    this.stderr = new OutputPipe(stderr, new AbortController().signal);
    this.profiles = new ProfileStore(env);
  }

  get signal(): AbortSignal {
    return this.terminal.signal;
  }

  /** Returns the destination of requests. */
  connection(): Promise<ConnectionSettings> {
    const { env } = this.terminal;
    return (this.connected ??= connectionOf({ input: this.input, env, profiles: this.profiles }));
  }

  /** Returns a client with the key. */
  async client(options: { ingestUrl?: string } = {}): Promise<Tributary> {
    const { url, ingestUrl, key } = await this.connection();
    // Shells complete names with a short time-out, so that a system that hangs does not block the prompt.
    const timeoutMs = Number(this.terminal.env.TRIBUTARY_TIMEOUT_MS) || undefined;
    return new Tributary({ url, ingestUrl, timeoutMs, ...options, apiKey: await key(), fetch: this.fetch() });
  }

  /** Returns a `fetch` that, with `--trace`, reports requests. */
  fetch(): Fetch {
    const fetch: Fetch = (url, init) => globalThis.fetch(url, init);
    return this.input.flag('trace') ? tracedFetch((line) => this.report(line), fetch) : fetch;
  }

  /** Writes lines to standard error, with escapes for characters that are not visible. */
  report(line: string): void {
    void this.stderr.write(`${visibleText(line, { keep: '\n' })}\n`);
  }

  /** Refuses a change if the profile is protected and not named on the command line. @throws UsageError */
  async requireChangeable(): Promise<void> {
    requireSpelledOut(await this.connection());
  }

  /**
   * Requires that the user confirms a destructive command: with `--confirm NAME`, which a protected profile always needs,
   * with `--yes`, or by an answer on the terminal. @throws UsageError
   * @param name The name to repeat; undefined if there is none.
   */
  async requireConfirmed(name: string | undefined, { what, inPipes = true }: Confirmation): Promise<void> {
    const { profile } = await this.connection();
    const confirmed = this.input.text('confirm');
    if (name !== undefined && (profile?.protected || confirmed !== undefined))
      return requireConfirmed(name, confirmed);
    if (this.input.flag('yes')) return;
    if (isInteractive(this.terminal)) return requireYes(what, this.terminal);
    if (inPipes)
      throw new UsageError(`${what} Confirm it: --yes${name === undefined ? '' : `, or --confirm ${name}`}.`);
  }
}
