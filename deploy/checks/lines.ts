import { execFile } from 'node:child_process';

/** One result line of a check script, in a format like TAP. */
interface CheckResultLine {
  outcome: 'ok' | 'not ok' | 'skip';
  /** Name of the check; if it failed or was skipped, followed by the reason. */
  name: string;
}

/** Runs a script of this folder to its end. An output line without a known prefix continues the previous line. */
export function linesOf(script: string): Promise<{ code: unknown; text: string; lines: CheckResultLine[] }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [script], { maxBuffer: 1 << 26 }, (error, out, err) =>
      resolve({ code: error?.code ?? child.exitCode, text: out + err, lines: linesIn(out) }),
    );
  });
}

function linesIn(text: string): CheckResultLine[] {
  const found = text
    .split(/^(?=ok |not ok |skip |# |#$)/m)
    .map((line) => /^(ok|not ok|skip) (.*)/s.exec(line));
  return found.flatMap((match) =>
    match ? [{ outcome: match[1] as CheckResultLine['outcome'], name: (match[2] ?? '').trim() }] : [],
  );
}
