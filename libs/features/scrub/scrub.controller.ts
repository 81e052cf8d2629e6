import { randomUUID } from 'node:crypto';
import { Controller, Get, Header, HttpCode, Inject, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { DEFINITIONS, LOG, STORE, PRODUCER } from '#app';
import { createFlushTopic, sendFlushRequest } from '#engine';
import { TopicAndGroupNames } from '#event';
import { ApiAnswer, Problems, RequireAllStreams, storeAndLogProblems, UuidInPath } from '#gateway-kit';
import { AlwaysAnswered, RequireScope } from '#http';
import type { Producer, TopicAdmin } from '#kafka';
import type { Definitions, StreamDefinition } from '#registry';
import type { ScrubPassProgress, Store } from '#store';
import { ScrubAnswer } from './scrub-answer.js';

/** Requests passes of the scrub, which the materializers run, and shows their progress. */
@ApiTags('system')
@RequireAllStreams('scrub the store')
@Controller('api/v1/scrubs')
export class ScrubController {
  constructor(
    @Inject(LOG) private readonly log: { admin: Pick<TopicAdmin, 'offsetsIn' | 'create'> },
    @Inject(PRODUCER) private readonly producer: Pick<Producer, 'append'>,
    @Inject(STORE) private readonly store: Pick<Store, 'scrubPasses'>,
    @Inject(DEFINITIONS) private readonly definitions: Pick<Definitions, 'streams'>,
    private readonly topics: TopicAndGroupNames,
  ) {}

  @Post()
  @HttpCode(202)
  @AlwaysAnswered()
  @RequireScope('admin')
  @ApiOperation({
    summary: 'Compare ClickHouse with Kafka now, and repair it',
    description:
      'The materializers begin a pass of the scrub over every partition, without the limit of its rate, and insert again what ' +
      'ClickHouse has lost. Read the progress at `/api/v1/scrubs/{scrub_id}` for a week. A partition whose pass has begun ends it first.',
  })
  @ApiAnswer(ScrubAnswer, { status: 202, description: 'The scrub is requested.' })
  @Problems('stream_forbidden', storeAndLogProblems)
  async request(): Promise<ScrubAnswer> {
    const scrub_id = randomUUID();
    const requests = this.liveStreams().map(({ id }) => ({
      ...{ group: this.topics.scrubGroup, topic: this.topics.ofStream(id), request: scrub_id },
    }));
    await createFlushTopic(this.log.admin, this.topics);
    await sendFlushRequest(this.producer, this.topics, ...requests);
    return await this.progressOf(scrub_id);
  }

  @Get(':scrub_id')
  @RequireScope('admin')
  @Header('cache-control', 'no-store')
  @ApiOperation({
    summary: 'Read the progress of a requested scrub',
    description:
      'An unknown id is a scrub that has compared nothing yet: a materializer must be running to begin it.',
  })
  @ApiAnswer(ScrubAnswer, { description: 'What the scrub has found so far, by stream.' })
  @Problems('stream_forbidden', storeAndLogProblems)
  read(@UuidInPath('scrub_id') scrubId: string): Promise<ScrubAnswer> {
    return this.progressOf(scrubId);
  }

  private async progressOf(scrub_id: string): Promise<ScrubAnswer> {
    const live = this.liveStreams();
    const names = live.map(({ id }) => this.topics.ofStream(id));
    const [offsets, passes] = await Promise.all([
      this.log.admin.offsetsIn(names),
      this.store.scrubPasses.of(scrub_id),
    ]);
    const passesOf = new Map<string, ScrubPassProgress[]>();
    for (const pass of passes) passesOf.set(pass.stream, [...(passesOf.get(pass.stream) ?? []), pass]);
    const streams = live.map(({ stream, id }) => {
      const partitions = offsets.get(this.topics.ofStream(id)) ?? [];
      const own = passesOf.get(id) ?? [];
      const sum = (member: 'compared' | 'repaired' | 'unlogged' | 'undecided') =>
        own.reduce((total: number, pass: ScrubPassProgress) => total + pass[member], 0);
      return {
        stream,
        partitions: partitions.filter(({ beginning, end }) => end > beginning).length,
        complete_partitions: own.filter(({ is_complete }) => is_complete).length,
        compared: sum('compared'),
        repaired: sum('repaired'),
        unlogged: sum('unlogged'),
        undecided: sum('undecided'),
      };
    });
    const complete = streams.every((one) => one.complete_partitions >= one.partitions);
    return { scrub_id, complete, streams };
  }

  private liveStreams(): StreamDefinition[] {
    return this.definitions.streams().filter(({ state }) => state === 'live');
  }
}
