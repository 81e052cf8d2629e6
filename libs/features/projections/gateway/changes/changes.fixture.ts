import { allStreams } from '#api';
import type { Definitions } from '#registry';
import type { ProjectionGeneration, ProjectionDefinition } from '#features/projections/definition';
import type { PartitionCheckpoint, KeyedStateReader, KeyedStateRow } from '#store';
import { MemoryStore } from '#store/memory';
import { createLogger, type Logger } from '#telemetry';
import { partitionProgress, stateRow } from '../../../../core/store/keyed-states.fixture.js';
import {
  givenConnections,
  type GivenConnectionsOptions,
} from '../../../events/live/given-connections.fixture.js';
import { StreamClient, type ServerSentEventParser } from '../../../events/live/stream-client.fixture.js';
import { foldOf } from '#features/projections/definition';
import { keyState, mergedKey } from '../states/key-state.js';
import { ChangeStreamOpener } from './change-stream-opener.js';
import { VisibleProjections } from '../visible-projections.js';
import { ProjectionsFollower } from './projections-follower.js';

/** The parsed data of a Server-Sent Event `change`: a key and its state. */
interface Change {
  key: string;
  version: number;
  updated_at: string;
  state: { n: number };
}

/** Opens live streams of projection changes in one simulated gateway process, and closes them all. */
export interface ChangeStreamsHandle {
  open: ChangeStreamOpener['open'];
  close(): void;
}

/**
 * In-memory inputs of live streams of changes for specs: the definition of one projection that counts events, and its
 * stored states.
 */
export class ChangesFixture {
  readonly store = new MemoryStore();
  definition: ProjectionDefinition | undefined = {
    ...{ name: 'p', version: 1, created_at: '1', paused: false, building: null, failure: null },
    serving: this.generation(1),
  };

  generation(version: number): ProjectionGeneration {
    return {
      ...{ id: `build-${version}`, version, started_at: '1' },
      sources: { orders: { id: 'orders#1' }, refunds: { id: 'refunds#1' } },
      spec: {
        source: { streams: ['orders', 'refunds'] },
        fields: { n: { op: 'count' } },
        from: 'beginning',
      },
    };
  }

  get serving(): ProjectionGeneration {
    const serving = this.definition?.serving;
    if (!serving) throw new Error('nothing is served');
    return serving;
  }

  /** Serves another generation from now on. */
  serve(serving: ProjectionGeneration): void {
    if (this.definition) this.definition = { ...this.definition, serving };
  }

  /** Returns the row that a processor saves for a key after this event. */
  row(key: string, more: Partial<KeyedStateRow> & { position: number }): KeyedStateRow {
    const events = more.events ?? more.position + 1;
    return stateRow({ owner: this.serving.id, key, events, state: JSON.stringify([events]), ...more });
  }

  progress(more: Partial<PartitionCheckpoint> & { next: number }): PartitionCheckpoint {
    return partitionProgress({ owner: this.serving.id, ...more });
  }

  /** Saves the states of one partition, whose events have these keys from offset 0 on. */
  async folded(keys: readonly string[], { partition = 0 } = {}): Promise<void> {
    const rows = new Map<string, KeyedStateRow>();
    for (const [position, key] of keys.entries()) {
      const events = (rows.get(key)?.events ?? 0) + 1;
      rows.set(key, this.row(key, { partition, position, events }));
    }
    await this.store.projections.save([...rows.values()], [this.progress({ partition, next: keys.length })]);
  }

  /** Resolves with the states by key, as reads return them. */
  async states(): Promise<Map<string, unknown>> {
    const keys = await this.store.projections.keys({ owner: this.serving.id, limit: 10_000 });
    const fold = foldOf(this.serving);
    return new Map(
      keys.map((key) => {
        const { version, state } = keyState(fold, mergedKey(fold, key));
        return [key.key, { version, state: JSON.parse(state) as unknown }];
      }),
    );
  }

  /** Simulates a gateway process that has no open live streams yet. */
  gateway(
    options: GivenConnectionsOptions & { logger?: Logger } & { projections?: Partial<KeyedStateReader> } = {},
  ): ChangeStreamsHandle {
    const { logger = createLogger({ name: 'spec', level: 'silent' }) } = options;
    const projections = Object.assign(
      Object.create(this.store.projections) as KeyedStateReader,
      options.projections,
    );
    const definitions = {
      projections: { get: (name: string) => (name === 'p' ? this.definition : undefined) },
    };
    const connections = givenConnections(logger, options);
    const times = { pollMs: 1, retryMs: 1 };
    const follower = new ProjectionsFollower(connections, { projections }, definitions, logger, times);
    const visible = new VisibleProjections(definitions as Definitions);
    const changes = new ChangeStreamOpener(connections, follower, visible, logger, times);
    return { open: (...request) => changes.open(...request), close: () => connections.close() };
  }
}

/** The caller and what it may see. Default: everything. */
type CallerOptions = Partial<Parameters<ChangeStreamsHandle['open']>[0]['caller']>;

/** A client of a live stream of projection changes, which keeps a copy of the states. */
export class ChangesClient extends StreamClient {
  constructor(
    newParser: () => ServerSentEventParser,
    private readonly world: ChangesFixture,
    private readonly snapshot = false,
  ) {
    super(newParser);
  }

  get changes(): Change[] {
    return this.sent<Change>('change');
  }

  /** The client's copy of the states: the last state of each key since the last reset. */
  get copy(): Map<string, unknown> {
    const copy = new Map<string, unknown>();
    for (const { event, data } of this.parser.messages) {
      if (event === 'reset') copy.clear();
      if (event !== 'change') continue;
      const { key, version, state } = JSON.parse(data) as Change;
      copy.set(key, { version, state });
    }
    return copy;
  }

  /** Connects, and resumes after the last received id if there is one. Resolves when the connection has ended. */
  connect(live: ChangeStreamsHandle, permitted: CallerOptions = {}): Promise<void> {
    const caller = { access: allStreams, keyId: null, requireStillAdmitted: () => undefined, ...permitted };
    const { definition } = this.world;
    if (!definition) throw new Error('there is no projection');
    const { snapshot } = this;
    const request = { definition, snapshot, caller, requestId: 'r' };
    return this.open((lastEventId, begin, client) => live.open({ ...request, lastEventId }, begin, client));
  }
}
