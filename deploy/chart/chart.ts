import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseAllDocuments } from 'yaml';

export const chart = join('helm', 'tributary');
/** Values files that every check of what is rendered goes through. */
export const valuesFiles = readdirSync(join(chart, 'ci')).map((file) => basename(file, '.yaml'));

const { kubernetes } = JSON.parse(readFileSync('deploy/tools/schemas.json', 'utf8')) as {
  kubernetes: string[];
};
/** The Kubernetes versions that the chart is checked for, the newest last. */
export const kubernetesVersions = kubernetes;

export interface Manifest {
  kind: string;
  metadata: { name: string; labels?: Record<string, string>; annotations?: Record<string, string> };
  spec?: unknown;
  data?: Record<string, string>;
}

export interface ToolOutput {
  code: number | string | null | undefined;
  /** What went to either output. */
  text: string;
}

/** Runs one of the tools of `.tools/deploy/bin`, with this text on its standard input. Never throws for how it ends. */
export function tool(name: string, args: string[], input = ''): Promise<ToolOutput> {
  return new Promise((resolve) => {
    const child = execFile(
      join('.tools', 'deploy', 'bin', name),
      args,
      { maxBuffer: 1 << 26 },
      (error, stdout, stderr) => resolve({ code: error?.code ?? child.exitCode, text: stdout + stderr }),
    );
    child.stdin?.end(input);
  });
}

/** Arguments of `helm` for the chart with these values, on the newest Kubernetes. */
export function helmArgs(command: 'template' | 'lint', values: string[]): string[] {
  const version = ['--kube-version', kubernetesVersions.at(-1) ?? ''];
  return command === 'lint'
    ? ['lint', chart, '--strict', ...version, ...values]
    : ['template', 'live', chart, ...version, ...values];
}

export function valuesFile(name: string): string[] {
  return ['--values', join(chart, 'ci', `${name}.yaml`)];
}

const rendered = new Map<string, Promise<string>>();

/** The manifests that a values file makes, as text. @throws with Helm's words where it refuses. */
export function render(name: string): Promise<string> {
  const known = rendered.get(name) ?? renderAnew(name);
  rendered.set(name, known);
  return known;
}

async function renderAnew(name: string): Promise<string> {
  const { code, text } = await tool('helm', helmArgs('template', valuesFile(name)));
  if (code !== 0) throw new Error(text);
  return text;
}

/** The same, read. */
export async function manifests(name: string): Promise<Manifest[]> {
  const documents = parseAllDocuments(await render(name)).map(
    (document) => document.toJS() as Manifest | null,
  );
  return documents.filter((one) => one !== null);
}
