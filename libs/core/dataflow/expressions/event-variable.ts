import { kinds, type KindSet, type Variable } from '#cel';

const { number, string, object, timestamp } = kinds;
const none = kinds.null;

const members: Readonly<Record<string, KindSet>> = {
  event_id: string,
  stream: string,
  event_type: string,
  entity_id: string | none,
  timestamp,
  ingested_at: timestamp,
  data: object,
  metadata: object,
  schema_version: number | none,
  partition: number,
  offset: number,
};

/** The variable `event` of expressions on events that are read from Kafka, which have no version yet. */
export const eventVariable = variable(members);

/** The variable `event` of conditions on stored events, which have a version. */
export const storedEventVariable = variable({ ...members, version: number | none });

function variable(members: Readonly<Record<string, KindSet>>): Variable {
  return { name: 'event', members, likelyMember: 'data', describeMissing };

  function describeMissing(name: string): string {
    if (name === 'version')
      return 'event.version cannot be used here: the version is assigned when the event is stored.';
    const names = Object.keys(members).join(', ');
    return `An event has no member ${name}; the sent data is in event.data. Its members are ${names}.`;
  }
}
