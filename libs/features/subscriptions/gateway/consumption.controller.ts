import { Controller, Get, Header, HttpCode, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ProblemError } from '#api';
import { duration, DefinitionError } from '#dataflow';
import { eventToJson } from '#event';
import type { SubscriptionDefinition } from '#features/subscriptions/definition';
import {
  abortWhenKeyEnds,
  ApiAnswer,
  bodyProblems,
  jsonType,
  nameParam,
  NewGenerationOrJobFactory,
  NoContent,
  PageParameters,
  pageByName,
  Problems,
  requireDefinitionName,
  sourcePointers,
  storeAndLogProblems,
} from '#gateway-kit';
import {
  AlwaysAnswered,
  Body,
  BodyLimit,
  DisconnectSignal,
  InjectPrincipal,
  PathParameter,
  Principal,
  Query,
  RequireScope,
} from '#http';
import { formatTime } from '#json';
import { keyOf } from '../dispatch/event-loader.js';
import type { HandedOutEvent } from '../dispatch/subscription-dispatcher.js';
import { HandOutTokens } from '../dispatch/hand-out-tokens.js';
import { refOf, type Delivery } from '../state/delivery.js';
import type { EventRef, ParkedCommand } from '../state/subscription-command.js';
import { AckAnswer, ParkedChangeAnswer, ParkedList, ReceiveAnswer } from './consumption-answers.js';
import { AckInput, consumptionLimits, ParkedInput, ReceiveInput, SeekInput } from './consumption-input.js';
import { Settlement } from './settlement.js';
import { SubscriptionService } from './subscription-service.js';
import { VisibleSubscriptions } from './visible-subscriptions.js';

const Name = () =>
  PathParameter(nameParam('subscription'), (name) => requireDefinitionName('subscription', name));
const notFound = 'subscription_not_found';

/** What workers do with a subscription, and what becomes of its parked events. */
@ApiTags('subscriptions')
@Controller('api/v1/subscriptions/:name')
export class ConsumptionController {
  constructor(
    private readonly visible: VisibleSubscriptions,
    private readonly service: SubscriptionService,
    private readonly settlement: Settlement,
    private readonly runs: NewGenerationOrJobFactory,
  ) {}

  @Post('receive')
  @AlwaysAnswered()
  @HttpCode(200)
  @RequireScope('subscriptions:consume')
  @ApiOperation({
    operationId: 'SubscriptionConsumption_receive',
    summary: 'Receive events',
    description:
      'Hands out events that nobody else has, and waits up to `wait` for the first one. Each comes with a token, with ' +
      'which it is acknowledged within `ack_within`; otherwise it is handed out again. An answer has at most ' +
      `${consumptionLimits.events} events and 8 MiB. Any number of workers may ask, any instance answers.`,
  })
  @ApiAnswer(ReceiveAnswer, { description: 'The events; none if there was none in time.' })
  @Problems(bodyProblems, notFound, 'subscription_paused', 'overloaded', storeAndLogProblems)
  @Header('content-type', jsonType)
  async receive(
    @Name() name: string,
    @Body() { max, wait }: ReceiveInput,
    @InjectPrincipal() caller: Principal,
    @DisconnectSignal() client: AbortSignal,
  ): Promise<string> {
    const definition = this.visible.get(name, caller.access);
    const waitMs = milliseconds(wait ?? '0s', '/wait', { least: '0s', most: '60s' });
    const { signal, end } = abortWhenKeyEnds(caller, client);
    const events = await this.receiveInTime(definition, { max: max ?? 100, waitMs }, signal).finally(end);
    const tokens = tokensOf(definition);
    const usable = events.filter((one) => !isLate(one));
    const items = usable.map(
      ({ handOut, attempt, event }) =>
        `{"token":"${tokens.sign(handOut)}","attempt":${attempt},"event":${eventToJson(event)}}`,
    );
    return `{"events":[${items.join(',')}]}`;
  }

  @Post('ack')
  @AlwaysAnswered()
  @HttpCode(200)
  @BodyLimit(8 * 1024 * 1024)
  @RequireScope('subscriptions:consume')
  @ApiOperation({
    operationId: 'SubscriptionConsumption_ack',
    summary: 'Acknowledge, refuse or prolong events',
    description:
      'Once this is answered, an event whose result for `ack` is `done` is never handed out again. A repeated ' +
      'acknowledgement is `done` too. `expired`: the token no longer holds its event, which was rejected, or handed out ' +
      'again under another token. `unknown`: this subscription has not handed out such a token since it was moved.',
  })
  @ApiAnswer(AckAnswer, { description: 'A result for each token, in the order of the request.' })
  @Problems(bodyProblems, notFound, 'log_unavailable')
  async ack(
    @Name() name: string,
    @Body() { ack, nack, extend }: AckInput,
    @InjectPrincipal() { access }: Principal,
  ): Promise<AckAnswer> {
    const definition = this.visible.get(name, access);
    const bounds = { least: '0s', most: '24h' };
    return await this.settlement.settle(definition, {
      ack: ack ?? [],
      extend: extend ?? [],
      nack: (nack ?? []).map(({ token, delay, park, reason }, i) => ({
        ...(delay != null && { delayMs: milliseconds(delay, `/nack/${i}/delay`, bounds) }),
        token,
        park: park ?? false,
        reason: reason ?? '',
      })),
    });
  }

  @Get('parked')
  @RequireScope('events:read')
  @ApiOperation({
    operationId: 'SubscriptionConsumption_parked',
    summary: 'List parked events',
    description: 'Sorted by stream, partition and offset. A page ends after a few megabytes.',
  })
  @ApiAnswer(ParkedList, { description: 'A page of parked events; `total` counts all.' })
  @Problems(notFound, 'invalid_cursor', storeAndLogProblems)
  @Header('content-type', jsonType)
  async parked(
    @Name() name: string,
    @Query() { limit, cursor }: PageParameters,
    @InjectPrincipal() { access }: Principal,
    @DisconnectSignal() client: AbortSignal,
  ): Promise<string> {
    const definition = this.visible.get(name, access);
    const state = await this.service.log.stateOf(definition.run.id);
    const all = [...state.all('parked')];
    const bounds = { limit: Math.min(limit, 100), cursor, boundTo: ['parked', definition.run.id] };
    const { items, end } = pageByName(all, sortKey, bounds);
    const events = await this.service.loaderOf(definition).load(items, client);
    const streams = new Map<string, string>(
      this.service.streamsOf(definition).map(({ source, stream }) => [source, stream]),
    );
    const texts = items.map((delivery) => {
      const event = events.get(keyOf(refOf(delivery)));
      const text = event && event !== 'gone' ? eventToJson(event) : null;
      const { attempt: attempts, reason, at } = delivery;
      const id = idOf(delivery, streams.get(delivery.source));
      const members = {
        id,
        attempts,
        reason,
        parked_at: formatTime(at * 1000),
        blocked: state.behind(delivery),
      };
      return `${JSON.stringify(members).slice(0, -1)},"event":${text}}`;
    });
    return `{"parked":[${texts.join(',')}],${JSON.stringify(end).slice(1)}`;
  }

  @Post('parked/replay')
  @AlwaysAnswered()
  @HttpCode(200)
  @RequireScope('definitions:write')
  @ApiOperation({
    operationId: 'SubscriptionConsumption_replay',
    summary: 'Hand out parked events again',
    description: 'They have all their attempts again. Events that are not parked any more are left out.',
  })
  @ApiAnswer(ParkedChangeAnswer, { description: 'How many were replayed.' })
  @Problems(bodyProblems, notFound, 'log_unavailable')
  async replay(
    @Name() name: string,
    @Body() input: ParkedInput,
    @InjectPrincipal() { access }: Principal,
  ): Promise<ParkedChangeAnswer> {
    return await this.changeParked(this.visible.get(name, access), 'replay', input);
  }

  @Post('parked/discard')
  @AlwaysAnswered()
  @HttpCode(200)
  @RequireScope('definitions:write')
  @ApiOperation({
    operationId: 'SubscriptionConsumption_discard',
    summary: 'Discard parked events',
    description: 'They are never handed out again. The events themselves remain in their streams.',
  })
  @ApiAnswer(ParkedChangeAnswer, { description: 'How many were discarded.' })
  @Problems(bodyProblems, notFound, 'log_unavailable')
  async discard(
    @Name() name: string,
    @Body() input: ParkedInput,
    @InjectPrincipal() { access }: Principal,
  ): Promise<ParkedChangeAnswer> {
    return await this.changeParked(this.visible.get(name, access), 'discard', input);
  }

  @Post('seek')
  @AlwaysAnswered()
  @HttpCode(204)
  @RequireScope('definitions:write')
  @ApiOperation({
    operationId: 'SubscriptionConsumption_seek',
    summary: 'Move a subscription',
    description:
      'It continues at the beginning, at the end, or with the first events that arrived at an instant or later. What is ' +
      'handed out, waits or is parked is forgotten: its tokens have no effect any more.',
  })
  @NoContent('The subscription was moved.')
  @Problems(bodyProblems, notFound, 'stream_not_found', 'subscription_source_fixed', 'log_unavailable')
  async seek(
    @Name() name: string,
    @Body() { to }: SeekInput,
    @InjectPrincipal() { access }: Principal,
  ): Promise<void> {
    const definition = this.visible.get(name, access);
    const { sources } = await this.runs.begin({
      streams: sourcePointers(definition.spec),
      from: to,
      fromPointer: '/to',
    });
    const changed = Object.keys(sources).find(
      (stream) => sources[stream]!.id !== definition.run.sources[stream]?.id,
    );
    if (changed !== undefined) {
      const detail = `The stream ${changed} was deleted and made again: make a new subscription of it.`;
      throw new ProblemError('subscription_source_fixed', detail);
    }
    const positions = this.service.streamsOf(definition).flatMap(({ stream, source, partitions }) => {
      const starts = sources[stream]?.starts;
      return Array.from({ length: partitions }, (_, i): EventRef => [source, i, starts?.[i] ?? 0]);
    });
    await this.service.log.execute(definition.run.id, { type: 'seek', positions });
  }

  /**
   * Receives events. A process that was frozen, or that is slow, has events that others may have by now: it gives them back, and
   * waits again as long as there is time.
   */
  private async receiveInTime(
    definition: SubscriptionDefinition,
    { max, waitMs }: { max: number; waitMs: number },
    signal: AbortSignal,
  ): Promise<readonly HandedOutEvent[]> {
    const until = performance.now() + waitMs;
    for (;;) {
      const left = Math.max(0, until - performance.now());
      const events = await this.service.receive(definition, { max, waitMs: left }, signal);
      const late = events.filter(isLate);
      if (late.length === 0) return events;
      await this.service.giveBack(definition, late);
      if (late.length < events.length || performance.now() >= until) return events;
    }
  }

  private async changeParked(
    definition: SubscriptionDefinition,
    action: ParkedCommand['action'],
    { ids }: ParkedInput,
  ): Promise<ParkedChangeAnswer> {
    const sources = new Map(this.service.streamsOf(definition).map(({ source, stream }) => [stream, source]));
    const events = ids ? ids.flatMap((id) => refOfId(id, sources)) : 'all';
    const { log } = this.service;
    return { events: (await log.execute(definition.run.id, { type: 'parked', action, events })).changed };
  }
}

function isLate({ usableUntil }: HandedOutEvent): boolean {
  return performance.now() >= usableUntil;
}

function tokensOf({ token_key, run }: SubscriptionDefinition): HandOutTokens {
  return new HandOutTokens(token_key, run.id);
}

/** The id of a parked event in the API. An event of a stream that was deleted has the id of the stream in it. */
function idOf({ source, partition, offset }: Delivery, stream = source): string {
  return `${stream}:${partition}:${offset}`;
}

function refOfId(id: string, sources: ReadonlyMap<string, string>): EventRef[] {
  const [, name = '', partition, offset] = /^(.+):(\d{1,4}):(\d{1,16})$/.exec(id) ?? [];
  return name === '' ? [] : [[sources.get(name) ?? name, Number(partition), Number(offset)]];
}

function sortKey({ source, partition, offset }: Delivery): string {
  return `${source}/${String(partition).padStart(4, '0')}/${String(offset).padStart(16, '0')}`;
}

function milliseconds(text: string, pointer: string, bounds: { least: string; most: string }): number {
  try {
    return duration(text, pointer, bounds) / 1000;
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    const [{ detail } = { detail: '' }] = error.errors;
    throw new ProblemError('invalid_request', `${pointer} ${detail}.`, { errors: [{ pointer, detail }] });
  }
}
