import { setTimeout as sleep } from 'node:timers/promises';

const settleLimitMs = 180_000;

/** ClickHouse over plain HTTP, without a client library. */
export class PlainClickHouseClient {
  constructor(
    private readonly server: { clickhouseUrl: string; clickhousePassword: string },
    private readonly database: string,
  ) {}

  /** Runs a statement, with a body for an INSERT. Resolves with the bytes of the answer. */
  async run(query: string, settings: Record<string, string> = {}, body?: Buffer): Promise<Buffer> {
    const parameters = new URLSearchParams({ database: this.database, query, ...settings });
    const { clickhouseUrl, clickhousePassword } = this.server;
    const response = await fetch(`${clickhouseUrl}/?${parameters.toString()}`, {
      method: 'POST',
      body: body ?? '',
      headers: { 'X-ClickHouse-User': 'tributary', 'X-ClickHouse-Key': clickhousePassword },
    });
    const answer = Buffer.from(await response.arrayBuffer());
    if (!response.ok) throw new Error(`ClickHouse: ${answer.toString().slice(0, 500)}`);
    return answer;
  }

  /** Returns the single number in the answer. */
  async number(query: string): Promise<number> {
    return Number((await this.run(query)).toString().trim());
  }
  /** Waits until no merge has run for three seconds, or the time limit is over. */
  async settled(): Promise<void> {
    const deadline = Date.now() + settleLimitMs;
    for (let quiet = 0; quiet < 3 && Date.now() < deadline; await sleep(1_000)) {
      quiet = (await this.number('SELECT count() FROM system.merges')) === 0 ? quiet + 1 : 0;
    }
  }
}
