import { readableColumns, type SqlColumn, type SqlTable } from '#cel';

const string = (sql: string): SqlColumn => ({ type: 'string', sql });
const time = (sql: string): SqlColumn => ({ type: 'time', sql });
const integer = (sql: string): SqlColumn => ({ type: 'integer', sql });
/** An integer column in which 0 stands for null. */
const optionalInteger = (column: string): SqlColumn => ({
  type: 'integer',
  sql: `nullIf(${column}, 0)`,
  isNull: `${column} = 0`,
});

/** The columns of the tables of events, for the conditions of queries on the variable `event`. */
export const eventColumns: SqlTable = {
  variable: 'event',
  columns: {
    event_id: string('toString(event_id)'),
    // The column `stream` contains the stream's id, which begins with the stream's name.
    stream: string("substringIndex(stream, '#', 1)"),
    event_type: string('event_type'),
    entity_id: { type: 'string', sql: "nullIf(entity_id, '')", isNull: "entity_id = ''" },
    version: optionalInteger('version'),
    timestamp: time('timestamp'),
    ingested_at: time('ingested_at'),
    schema_version: optionalInteger('schema_version'),
    partition: integer('partition'),
    offset: integer('offset'),
    data: { type: 'json', column: 'data' },
    metadata: { type: 'json', column: 'metadata' },
  },
};

/** The WITH clause that a query with such a condition begins with. */
export const readableEventColumns = readableColumns('data', 'metadata');
