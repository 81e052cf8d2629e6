import type { Definitions } from '#registry';
import { storeMayReturn, type SqlQueries } from '#store';
import type { Logger } from '#telemetry';
import { analystViews } from './analyst-views.js';

export interface ViewPublisherOptions {
  sql: Pick<SqlQueries, 'publish'>;
  definitions: Definitions;
  logger: Logger;
  /** Milliseconds that changes are collected for; default 200. */
  settleMs?: number;
  /** Milliseconds until the next attempt when ClickHouse did not take it; default 5 000. */
  retryMs?: number;
}

/** Keeps the views of analysts in step with the definitions. */
export class ViewPublisher {
  private timer: NodeJS.Timeout | undefined;
  private stopListening: (() => void) | undefined;
  private published = '';

  constructor(private readonly options: ViewPublisherOptions) {}

  /** Begins; the tables must be there. */
  start(): void {
    const { definitions, settleMs = 200 } = this.options;
    this.stopListening = definitions.onChange(() => this.later(settleMs));
    this.later(0);
  }

  close(): void {
    this.stopListening?.();
    clearTimeout(this.timer);
  }

  private later(ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.publish(), ms);
    this.timer.unref();
  }

  private async publish(): Promise<void> {
    const { sql, definitions, logger, retryMs = 5_000 } = this.options;
    const views = analystViews(definitions);
    const wanted = JSON.stringify(views);
    if (wanted === this.published) return;
    try {
      await sql.publish(views);
      this.published = wanted;
    } catch (err) {
      if (!storeMayReturn(err))
        logger.error({ err }, 'The views of analysts cannot be made: grant the user of the apps CREATE VIEW');
      this.later(retryMs);
    }
  }
}
