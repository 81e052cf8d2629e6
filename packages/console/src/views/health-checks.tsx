import type { Health } from '#client';
import { Facts, type Fact } from '../parts/facts.js';
import { Status } from '../parts/values.js';

/** One check of `/health`, with the lag of the materializer or of the processors. */
export interface Check {
  status?: string;
  error?: string;
  lag_events?: number;
  lag_seconds?: number;
}

/** Names of the checks that say more than their keys in the answer. */
const names: Record<string, string> = {
  log: 'Kafka',
  store: 'ClickHouse',
  log_or_store: 'Kafka or ClickHouse',
  definitions_age: 'Age of definitions',
};

/** The result of each check of the gateway's health. */
export function HealthChecks({ health }: { health: Health }) {
  return (
    <section class="card" aria-label="Health">
      <div class="card-head">
        <h2>Health</h2>
        <Status value={health.status} />
      </div>
      <Facts of={Object.entries(health.checks as Record<string, Check>).map(factOf)} isRow />
    </section>
  );
}

function factOf([key, { status = 'unknown', error }]: [string, Check]): Fact {
  const name = names[key] ?? key[0]!.toUpperCase() + key.slice(1).replaceAll('_', ' ');
  return [
    name,
    <>
      <Status value={status} /> {error && <span class="small">{error}</span>}
    </>,
  ];
}
