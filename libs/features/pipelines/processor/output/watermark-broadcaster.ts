import type { ProducerRecord } from '#kafka';
import type { WatermarkRecord } from '#features/pipelines/computation';
import type { StageTopic } from './output-buffer.js';
import { watermarkRecords } from './stage-record.js';

/**
 * Factor by which the interval between two broadcasts grows when the partition becomes idle. After a minute, the
 * interval grows further, up to `longestIdleMs`.
 */
const idlePauses = 5;
const longestIdleMs = 30_000;
const minute = 60_000;

/**
 * Broadcasts the watermark and the offset of one partition to the downstream stages: when the watermark or the offset
 * has changed, and at growing intervals while the partition is idle.
 */
export class WatermarkBroadcaster {
  private told: WatermarkRecord | undefined;
  private toldAt = -Infinity;
  private toldTo = '';
  private idleSince = 0;
  private telling = false;

  /**
   * @param append Appends the watermark records and resolves when they are acknowledged. A failed broadcast is
   *   repeated.
   * @param busyMs Minimum milliseconds between two broadcasts while records arrive.
   */
  constructor(
    private readonly append: (records: readonly ProducerRecord[]) => Promise<unknown>,
    private readonly busyMs: number,
  ) {}

  /**
   * Broadcasts the watermark record `control` if the time for a broadcast has come. The caller calls this method at
   * short intervals.
   * @param nowMs Current time in milliseconds, of any monotonic clock.
   */
  async tell(control: WatermarkRecord, to: readonly StageTopic[], nowMs: number): Promise<void> {
    if (to.length === 0 || this.telling || !this.isTime(control, to, nowMs)) return;
    this.telling = true;
    try {
      await this.append(to.flatMap(({ topic, partitions }) => watermarkRecords(topic, partitions, control)));
      if (control.idle && !this.told?.idle) this.idleSince = nowMs;
      [this.told, this.toldAt, this.toldTo] = [control, nowMs, namesOf(to)];
    } finally {
      this.telling = false;
    }
  }

  private isTime(control: WatermarkRecord, to: readonly StageTopic[], nowMs: number): boolean {
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
