import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseAllDocuments } from 'yaml';

export const chart = join('helm', 'tributary');
/** Values files whose rendered manifests are checked. */
export const valuesFiles = readdirSync(join(chart, 'ci')).map((file) => basename(file, '.yaml'));

const { kubernetes } = JSON.parse(readFileSync('deploy/tools/schemas.json', 'utf8')) as {
  kubernetes: string[];
};
/** Kubernetes versions against which the chart is checked, the newest last. */
export const kubernetesVersions = kubernetes;

/** A Kubernetes object that the Helm chart renders. */
export interface KubernetesObject {
  kind: string;
  metadata: { name: string; labels?: Record<string, string>; annotations?: Record<string, string> };
  spec?: unknown;
  data?: Record<string, string>;
}

/** Exit code and output of a tool that has ended. */
interface ToolOutput {
  code: number | string | null | undefined;
  /** Standard output and standard error together. */
  text: string;
}

/** Runs a tool of `.tools/deploy/bin` with a text as standard input. A failure of the tool does not reject. */
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

/** Returns the arguments of `helm` for the chart with these values, for the newest Kubernetes version. */
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

/** Renders the manifests of a values file as text. @throws Error with Helm's output if Helm fails. */
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

/** Renders the manifests of a values file as objects. */
export async function manifests(name: string): Promise<KubernetesObject[]> {
  const documents = parseAllDocuments(await render(name)).map(
    (document) => document.toJS() as KubernetesObject | null,
  );
  return documents.filter((one) => one !== null);
}
