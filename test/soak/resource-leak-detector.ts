import { readdirSync, readFileSync } from 'node:fs';
import type { TestSystem } from '#testkit';

/** Figures that must not grow over time. */
interface Sample {
  megabytes: number;
  files: number;
}

/**
 * Samples the memory and the open files of each app process during the soak test, to find leaks. A restart of a process
 * begins a new series.
 */
export class ResourceLeakDetector {
  private readonly samples = new Map<string, Sample[]>();

  constructor(private readonly stack: TestSystem) {}

  sample(): void {
    for (const app of this.stack.apps) {
      if (!app.running) continue;
      const life = `${app.name} (${app.pid})`;
      const list = this.samples.get(life) ?? [];
      try {
        list.push(sampleOf(app.pid));
        this.samples.set(life, list);
      } catch {
        // The process was killed meanwhile.
      }
    }
  }

  /** Returns a line for each process with its first and last figures. */
  lines(): string[] {
    return this.compared().map(
      ([life, early, late, count]) =>
        `${life}: ${early.megabytes} → ${late.megabytes} MB, ${early.files} → ${late.files} open files (${count} samples)`,
    );
  }

  /** Returns the figures that have more than doubled in a process with a sufficiently long life. */
  growth(): string[] {
    return this.compared().flatMap(([life, early, late, count]) => {
      if (count < 30) return [];
      return [
        ...(late.megabytes > early.megabytes * 2 + 100
          ? [`memory grows: ${life}: ${early.megabytes} → ${late.megabytes} MB`]
          : []),
        ...(late.files > early.files * 2 + 50
          ? [`open files grow: ${life}: ${early.files} → ${late.files}`]
          : []),
      ];
    });
  }

  private compared(): [life: string, early: Sample, late: Sample, count: number][] {
    return [...this.samples].map(([life, list]) => {
      const third = Math.max(1, Math.floor(list.length / 3));
      return [life, medianOf(list.slice(0, third)), medianOf(list.slice(-third)), list.length];
    });
  }
}

function sampleOf(pid: number): Sample {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return {
    megabytes: Math.round(Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024),
    files: readdirSync(`/proc/${pid}/fd`).length,
  };
}

function medianOf(list: readonly Sample[]): Sample {
  const middle = (values: number[]): number =>
    values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
  return {
    megabytes: middle(list.map(({ megabytes }) => megabytes)),
    files: middle(list.map(({ files }) => files)),
  };
}
