import { readFile } from 'node:fs/promises';
import { Tributary, TributaryError } from '#client';
import { demo } from './demo.js';
import { OptionError, parseOptions, usage, type DemoOptions } from './options.js';

async function main(): Promise<number> {
  const options = parseOptions(process.argv.slice(2), process.env);
  const apiKey = options.apiKey ?? (await readKey(options.apiKeyFile));
  if (!(await isRunning(options))) {
    console.error(
      `Nothing answers at ${options.queryUrl}. Start the system first, in another terminal: npm start`,
    );
    return 1;
  }
  if (!apiKey) {
    console.error(
      `There is no API key in ${options.apiKeyFile}. Name its file with --key-file, or set TRIBUTARY_KEY.`,
    );
    return 1;
  }
  const client = new Tributary({ url: options.queryUrl, ingestUrl: options.ingestUrl, apiKey });
  const screen = {
    live: process.stdout.isTTY,
    write: (text: string) => void process.stdout.write(text),
  };
  return (await demo(client, options, screen)) ? 0 : 1;
}

async function readKey(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.trim() || undefined;
}

async function isRunning(options: DemoOptions): Promise<boolean> {
  const answer = await fetch(`${options.queryUrl}/health/live`).catch(() => undefined);
  return answer !== undefined;
}

main().then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    process.exitCode = 1;
    if (error instanceof OptionError) console.error(`${error.message}\n\n${usage}`);
    else if (error instanceof TributaryError) console.error(`\nThe demo stopped: ${error.message}`);
    else console.error(error);
  },
);
