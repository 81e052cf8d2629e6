import { hostileExpressions, hostilePatterns, type HttpClient, type TestSystem } from '#testkit';

/** The names of the resources that the worst-case requests use. */
export const costly = {
  stream: 'costly',
  /** The entity has many versions and a large state. */
  entity: 'worst-entity',
  /**
   * An entity without snapshots, whose state has many members and nearly the maximum number of characters; small
   * events follow.
   */
  full: { stream: 'costly-full', entity: 'full-entity' },
  /** The event type of a schema with 300 `contains`. */
  contains: 'contains',
  /** The event type of a schema with ten branches, 28 levels deep, that evaluate all members. */
  branches: 'branches',
  projection: 'costly_projection',
  pipeline: 'costly_pipeline',
  subscription: 'costly_subscription',
  /** Nothing with this name exists. */
  unknown: 'unknown_thing',
};

/** The output that a pipeline requires. */
export const output = [{ emit: { stream: 'costly-output' } }];

const versions = 1_000;
const keys = 100;
/** The maximum number of outputs of one pipeline. */
const emits = 20;
/** The full entity: the size of its first event, and the number of small events after it. */
const [fullCharacters, smallVersions] = [1_046_000, 300];

/**
 * Defines the resources that make the worst-case requests expensive: schemas, a projection, a pipeline, long entities, many
 * keys.
 */
export async function makeCostly({ core }: TestSystem): Promise<void> {
  await expectOk(core, '/api/v1/streams', { stream: costly.stream, partitions: 2, snapshot_every: 50 });
  await core.post('/api/v1/schemas', {
    ...{ stream: costly.stream, event_type: costly.contains, mode: 'warn' },
    schema: {
      properties: { l: { allOf: Array.from({ length: 300 }, (_, i) => ({ contains: { const: -1 - i } })) } },
    },
  });
  await core.post('/api/v1/schemas', {
    ...{ stream: costly.stream, event_type: costly.branches, mode: 'warn' },
    schema: { anyOf: Array.from({ length: 10 }, () => nestedBranches(28)), unevaluatedProperties: false },
  });
  for (const [i, { pattern }] of hostilePatterns.entries())
    // Some of them are refused, as they should be.
    await core.post('/api/v1/schemas', {
      ...{ stream: costly.stream, event_type: `pattern-${i}`, mode: 'warn' },
      schema: { properties: { t: { pattern } } },
    });
  await writeLongEntity(core);
  await writeFullEntity(core);
  const accepted = await acceptedConditions(core);
  if (accepted.length === 0)
    throw new Error('No hostile condition is accepted: the processor would have nothing to do');
  await expectOk(core, '/api/v1/projections', {
    ...{ name: costly.projection, source: { streams: [costly.stream] } },
    key: 'event.event_type + string(has(event.data.n) ? event.data.n : 0)',
    fields: Object.fromEntries(
      accepted.slice(0, 32).map((when, i) => [`f${i}`, { op: 'sum', value: `(${when}) ? 1 : 0` }]),
    ),
  });
  for (let from = 0; from < accepted.length; from += emits)
    await expectOk(core, '/api/v1/pipelines', {
      name: from === 0 ? costly.pipeline : `${costly.pipeline}_${from}`,
      source: { streams: [costly.stream] },
      operators: [
        {
          branch: accepted
            .slice(from, from + emits)
            .map((when) => ({ when, operators: [{ filter: 'false' }, ...output] })),
        },
      ],
    });
  for (let i = 0; i < keys; i++)
    await expectOk(core, '/api/v1/keys', { name: `key ${i}`, scopes: ['events:read'], streams: [`a${i}*`] });
}

function nestedBranches(levels: number): object {
  if (levels === 0) return { additionalProperties: { type: 'integer' } };
  return { anyOf: [nestedBranches(levels - 1)] };
}

async function expectOk(client: HttpClient, path: string, body: object): Promise<void> {
  const { status, text } = await client.post(path, body);
  if (status >= 300) throw new Error(`${path}: ${status} ${text}`);
}

async function writeLongEntity(client: HttpClient): Promise<void> {
  const events = Array.from({ length: versions }, (_, n) => ({
    ...{ stream: costly.stream, event_type: 'version', entity_id: costly.entity },
    data: { n, [`member ${n}`]: { list: Array.from({ length: 100 }, (_, i) => i * n) } },
  }));
  const { status, text } = await client.post('/api/v1/events/batch', { events });
  if (status !== 201) throw new Error(`${status} ${text.slice(0, 500)}`);
}

async function writeFullEntity(client: HttpClient): Promise<void> {
  const { stream, entity } = costly.full;
  await expectOk(client, '/api/v1/streams', { stream, partitions: 1, snapshot_every: 0 });
  const members: string[] = [];
  for (let length = 2, i = 0; length < fullCharacters; i++) {
    const member = `"${i.toString(36)}":${i % 10}`;
    members.push(member);
    length += member.length + 1;
  }
  const event = (data: string) =>
    `{"stream":"${stream}","event_type":"version","entity_id":"${entity}","data":${data}}`;
  const first = await client.post('/api/v1/events', event(`{${members.join()}}`));
  if (first.status !== 201) throw new Error(`${first.status} ${first.text.slice(0, 500)}`);
  const small = Array.from({ length: smallVersions }, (_, i) =>
    event(`{"${i.toString(36)}":7,"${'x'.repeat(400)}":null}`),
  );
  const { status, text } = await client.post('/api/v1/events/batch', `{"events":[${small.join()}]}`);
  if (status !== 201) throw new Error(`${status} ${text.slice(0, 500)}`);
}

/** Returns the hostile conditions that the server accepts, each combined with a check for its own event type. */
async function acceptedConditions(client: HttpClient): Promise<string[]> {
  const accepted: string[] = [];
  for (const [i, { where }] of hostileExpressions.entries()) {
    const when = `event.event_type == "hostile-${i}" && (${where})`;
    const { status } = await client.post('/api/v1/pipelines/dry-run', {
      definition: { source: { streams: [costly.stream] }, operators: [{ filter: when }, ...output] },
      events: [{ stream: costly.stream, event_type: 't', data: {} }],
    });
    if (status === 200) accepted.push(when);
  }
  return accepted;
}
