import { readFileSync } from 'node:fs';

/** One instruction of a Dockerfile, with continuation lines joined: `{name: 'RUN', text: 'npm ci'}`. */
interface Instruction {
  name: string;
  text: string;
}

/** One build stage of a Dockerfile: the instructions from one FROM to the next. */
export interface DockerfileStage {
  /** Base image of the FROM, with variables replaced. */
  base: string;
  /** Name of the build stage (after `AS`); undefined for a stage without a name, such as the last stage. */
  name: string | undefined;
  instructions: Instruction[];
}

/** Parses the stages of the Dockerfile, in order. Replaces variables of ARG instructions before the first FROM. */
export function readDockerfile(file = 'Dockerfile'): DockerfileStage[] {
  const args = new Map<string, string>();
  const stages: DockerfileStage[] = [];
  for (const { name, text } of instructionsIn(readFileSync(file, 'utf8'))) {
    if (name === 'FROM') {
      const [image = '', , stage] = text.split(/\s+/);
      const base = image.replaceAll(/\$\{(\w+)\}/g, (_, variable: string) => args.get(variable) ?? '');
      stages.push({ base, name: stage, instructions: [] });
    } else if (stages.length === 0 && name === 'ARG') {
      const [variable = '', value = ''] = text.split(/=(.*)/s);
      args.set(variable, value);
    } else stages.at(-1)?.instructions.push({ name, text });
  }
  return stages;
}

function instructionsIn(text: string): Instruction[] {
  const lines = text
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n');
  return lines.filter(Boolean).map((line) => {
    const [, name = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    if (!name) throw new Error(`No instruction: ${line}`);
    return { name, text: rest };
  });
}

/** Returns the texts of all instructions with this name, in order. */
export function all(stage: DockerfileStage, name: string): string[] {
  return stage.instructions.filter((one) => one.name === name).map(({ text }) => text);
}
