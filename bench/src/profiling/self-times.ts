/** A CPU profile as V8 writes it, as far as it is used here. */
export interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  samples: number[];
  /** Microseconds between a sample and the one before. */
  timeDeltas: number[];
}

export interface SelfTime {
  /** Function and place, such as `encodeRecord libs/event/src/record.js:28`. */
  name: string;
  ms: number;
  /** Of the time in which the process did something. */
  share: number;
}

/** Waiting, and the profiler's own work at its beginning and end: a native function of the inspector, without a place. */
const notOurs = ['(idle)', 'dispatch'];

/** Where the time went, function by function, most first; idle time is left out. */
export function selfTimes(profile: CpuProfile): SelfTime[] {
  const names = new Map(profile.nodes.map((node) => [node.id, nameOf(node.callFrame)]));
  const micros = new Map<string, number>();
  profile.samples.forEach((id, index) => {
    const name = names.get(id) ?? '(unknown)';
    micros.set(name, (micros.get(name) ?? 0) + (profile.timeDeltas[index] ?? 0));
  });
  for (const name of notOurs) micros.delete(name);
  const busy = [...micros.values()].reduce((sum, value) => sum + value, 0);
  return [...micros]
    .map(([name, value]) => ({ name, ms: value / 1000, share: value / busy }))
    .sort((a, b) => b.ms - a.ms);
}

function nameOf({ functionName, url, lineNumber }: CpuProfile['nodes'][number]['callFrame']): string {
  const name = functionName || '(anonymous)';
  if (!url) return name;
  const place = url.replace(/^.*\/(?:dist|node_modules)\//, '').replace(/^node:/, 'node:');
  return `${name} ${place}:${lineNumber + 1}`;
}
