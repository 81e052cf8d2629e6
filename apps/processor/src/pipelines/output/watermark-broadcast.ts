import type { NewRecord } from '#log';
import type { Control } from '#dataflow';
import type { StageTopic } from './output-buffer.js';
import { controlRecords } from './stage-record.js';

/** While nothing comes the pause is so many times as long, and after a minute more and more, up to half a minute. */
const idlePauses = 5;
const longestIdleMs = 30_000;
const minute = 60_000;

/**
 * Tells the stages that one partition feeds how far it is: when that has changed, and again and again while it is
 * idle.
 */
export class WatermarkBroadcast {
  private told: Control | undefined;
  private toldAt = -Infinity;
  private toldTo = '';
  private idleSince = 0;
  private telling = false;

  /**
   * @param append resolves when the records are acknowledged; what rejects is told again
   * @param busyMs milliseconds between two words while records come, at least
   */
  constructor(
    private readonly append: (records: readonly NewRecord[]) => Promise<unknown>,
    private readonly busyMs: number,
  ) {}

  /** Tells it if it is time to. Call it often. @param nowMs of any clock that goes forward */
  async tell(control: Control, to: readonly StageTopic[], nowMs: number): Promise<void> {
    if (to.length === 0 || this.telling || !this.isTime(control, to, nowMs)) return;
    this.telling = true;
    try {
      await this.append(to.flatMap(({ topic, partitions }) => controlRecords(topic, partitions, control)));
      if (control.idle && !this.told?.idle) this.idleSince = nowMs;
      [this.told, this.toldAt, this.toldTo] = [control, nowMs, namesOf(to)];
    } finally {
      this.telling = false;
    }
  }

  private isTime(control: Control, to: readonly StageTopic[], nowMs: number): boolean {
    const { told } = this;
    if (!told || this.toldTo !== namesOf(to) || control.idle !== told.idle) return true;
    if (nowMs - this.toldAt < this.busyMs) return false;
    if (!control.idle) return control.next !== told.next || control.watermark !== told.watermark;
    const rest = idlePauses * this.busyMs * Math.max(1, (nowMs - this.idleSince) / minute);
    return control.next !== told.next || nowMs - this.toldAt >= Math.min(rest, longestIdleMs);
  }
}

function namesOf(to: readonly StageTopic[]): string {
  return to.map(({ topic }) => topic).join();
}
