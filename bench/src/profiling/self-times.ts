/** The used parts of a CPU profile of V8. */
export interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  samples: number[];
  /** Microseconds between a sample and the previous one. */
  timeDeltas: number[];
}

/** Processor time of one function without the functions that it calls. */
interface SelfTime {
  /** The function and its position, such as `encodeRecord libs/core/event/record.js:28`. */
  name: string;
  ms: number;
  /** The fraction of the busy time of the process. */
  share: number;
}

/**
 * Names of idle time and of the profiler's own work at its start and end, which is a native function of the inspector
 * without a position.
 */
const notOurs = ['(idle)', 'dispatch'];

/** Returns the self times of all functions, the largest first, without idle time. */
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
