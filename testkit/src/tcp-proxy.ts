import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from '#local';
import { DelayLine } from './delay-line.js';

/**
 * Direction of data through the proxy, where `up` is from the app to the engine, and `down` is from the engine to the
 * app.
 */
type ProxyDirection = 'up' | 'down';

/** A fault that `TcpProxy.trap` applies to one connection when a matching chunk of bytes arrives. */
type ConnectionFault =
  /** The proxy discards the chunk and resets the connection. */
  | { do: 'reset' }
  /** The proxy forwards this number of bytes, including the chunk, and then resets the connection. */
  | { do: 'truncate'; bytes: number }
  /**
   * The proxy forwards the request. When the answer begins to arrive, the proxy discards the answer and resets the
   * connection.
   */
  | { do: 'swallow-answer' };

interface ConnectionTrap {
  matches: (chunk: Buffer) => boolean;
  skip: number;
  trick: ConnectionFault;
  sprung: () => void;
}

interface ProxiedConnection {
  app: Socket;
  engine: Socket;
  /**
   * Delayed chunks on their way to the app (`toApp`) and to the engine (`toEngine`). The order of chunks is kept, even
   * if the delay changes.
   */
  toApp: DelayLine;
  toEngine: DelayLine;
  /**
   * Number of bytes that may still be forwarded to the engine before the connection is reset in the middle of a
   * request.
   */
  upBudget: number;
  swallowing: boolean;
}

/** A TCP proxy between the apps and Kafka or ClickHouse that simulates network faults. */
export class TcpProxy {
  private readonly pairs = new Set<ProxiedConnection>();
  private readonly stalled = new Set<ProxyDirection>();
  private readonly delays = { up: 0, down: 0 };
  private traps: ConnectionTrap[] = [];
  private accepted = 0;
  private resetEvery = 0;

  private constructor(
    private readonly target: { host: string; port: number },
    private server: Server,
    readonly port: number,
  ) {}

  /**
   * Starts a proxy. The port of the proxy is outside the range of outgoing connections, so it remains available while
   * the proxy refuses connections.
   */
  static async start(target: { host?: string; port: number }): Promise<TcpProxy> {
    const server = createServer();
    const port = await freePort();
    await listen(server, port);
    const proxy = new TcpProxy({ host: target.host ?? '127.0.0.1', port: target.port }, server, port);
    server.on('connection', (socket) => proxy.accept(socket));
    return proxy;
  }

  /** Number of open connections. */
  get connections(): number {
    return this.pairs.size;
  }

  /** Resets every open connection; the proxy still accepts new connections. */
  cut(): void {
    for (const pair of this.pairs) reset(pair);
  }

  /** Resets every open connection and refuses new connections, as if the engine were down. */
  async refuse(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.cut();
    await closed;
  }

  /** Accepts connections again after `refuse`. */
  async acceptAgain(): Promise<void> {
    this.server = createServer((socket) => this.accept(socket));
    await listen(this.server, this.port);
  }

  /**
   * Holds all data back, while connections remain open and new connections are accepted, like a network that loses all
   * packets.
   */
  stall(direction: ProxyDirection | 'both' = 'both'): void {
    for (const one of directions(direction)) this.stalled.add(one);
    for (const pair of this.pairs) for (const one of this.stalled) this.source(pair, one).pause();
  }

  /** Ends `stall`, and forwards the data that was held back. */
  flow(): void {
    this.stalled.clear();
    for (const pair of this.pairs) for (const one of directions('both')) this.source(pair, one).resume();
  }

  /** Delays all data in each direction by this number of milliseconds. */
  delay(milliseconds: { up?: number; down?: number }): void {
    Object.assign(this.delays, { up: 0, down: 0 }, milliseconds);
  }

  /**
   * Resets every n-th new connection as soon as the connection has sent data; with 0, no more connections are reset.
   */
  resetEach(n: number): void {
    this.resetEvery = n;
  }

  /**
   * Waits for a matching chunk from the app, after `skip` other matching chunks, and applies the fault once. Resolves
   * when the fault is applied.
   */
  trap(matches: (chunk: Buffer) => boolean, trick: ConnectionFault, skip = 0): Promise<void> {
    return new Promise((resolve) => this.traps.push({ matches, trick, skip, sprung: resolve }));
  }

  /** Ends all faults, including traps that have not been triggered. */
  async heal(): Promise<void> {
    this.traps = [];
    this.delay({});
    this.resetEach(0);
    this.flow();
    if (!this.server.listening) await this.acceptAgain();
  }

  async stop(): Promise<void> {
    this.traps = [];
    if (this.server.listening) await this.refuse();
  }

  private accept(app: Socket): void {
    this.accepted++;
    const engine = connect(this.target);
    const lines = { toApp: new DelayLine(app), toEngine: new DelayLine(engine) };
    const pair: ProxiedConnection = { app, engine, ...lines, upBudget: Infinity, swallowing: false };
    const doomed = this.resetEvery > 0 && this.accepted % this.resetEvery === 0;
    this.pairs.add(pair);
    for (const socket of [app, engine]) {
      socket.setNoDelay(true);
      socket.on('error', () => reset(pair));
      socket.on('close', () => {
        this.pairs.delete(pair);
        reset(pair);
      });
    }
    app.on('data', (chunk) => (doomed ? reset(pair) : this.goUp(pair, chunk)));
    engine.on('data', (chunk) => this.goDown(pair, chunk));
    app.on('end', () => engine.end());
    engine.on('end', () => app.end());
    for (const one of this.stalled) this.source(pair, one).pause();
  }

  private goUp(pair: ProxiedConnection, chunk: Buffer): void {
    const trap = this.traps.find(({ matches }) => matches(chunk));
    if (trap && trap.skip-- <= 0) {
      this.traps = this.traps.filter((other) => other !== trap);
      this.spring(pair, trap);
    }
    const allowed = chunk.subarray(0, Math.min(chunk.length, pair.upBudget));
    pair.upBudget -= allowed.length;
    pair.toEngine.send(allowed, this.delays.up);
    if (pair.upBudget <= 0) setTimeout(() => reset(pair), this.delays.up + 20);
  }

  private spring(pair: ProxiedConnection, { trick, sprung }: ConnectionTrap): void {
    if (trick.do === 'reset') pair.upBudget = 0;
    if (trick.do === 'truncate') pair.upBudget = trick.bytes;
    if (trick.do === 'swallow-answer') pair.swallowing = true;
    sprung();
  }

  private goDown(pair: ProxiedConnection, chunk: Buffer): void {
    if (pair.swallowing) return reset(pair);
    pair.toApp.send(chunk, this.delays.down);
  }

  private source(pair: ProxiedConnection, direction: ProxyDirection): Socket {
    return direction === 'up' ? pair.app : pair.engine;
  }
}

/**
 * Returns a matcher for `trap`: a chunk that begins with a Kafka request with this API key (0 produce, 8 offset
 * commit).
 */
export function kafkaRequest(apiKey: number): (chunk: Buffer) => boolean {
  return (chunk) => chunk.length >= 8 && chunk.readInt16BE(4) === apiKey;
}

function directions(which: ProxyDirection | 'both'): ProxyDirection[] {
  return which === 'both' ? ['up', 'down'] : [which];
}

function reset({ app, engine }: ProxiedConnection): void {
  if (!app.destroyed) app.resetAndDestroy();
  if (!engine.destroyed) engine.resetAndDestroy();
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve());
  });
}
