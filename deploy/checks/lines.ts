import { execFile } from 'node:child_process';

/** One line of a check that prints as TAP does. */
export interface Line {
  outcome: 'ok' | 'not ok' | 'skip';
  /** Of a failure, with its reason. */
  name: string;
}

/** Runs one of the scripts of this folder to its end. A line that begins like none of its own belongs to the one before. */
export function linesOf(script: string): Promise<{ code: unknown; text: string; lines: Line[] }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [script], { maxBuffer: 1 << 26 }, (error, out, err) =>
      resolve({ code: error?.code ?? child.exitCode, text: out + err, lines: linesIn(out) }),
    );
  });
}

function linesIn(text: string): Line[] {
  const found = text
    .split(/^(?=ok |not ok |skip |# |#$)/m)
    .map((line) => /^(ok|not ok|skip) (.*)/s.exec(line));
  return found.flatMap((match) =>
    match ? [{ outcome: match[1] as Line['outcome'], name: (match[2] ?? '').trim() }] : [],
  );
}
