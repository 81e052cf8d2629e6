import { AppConfig } from '#api';
import { clickHouseOptions, openClickHouse, type EventWriter } from '#store';

/**
 * Loaded into an app by a fault spec (`node --import`). After SIGUSR2 an insert neither ends nor fails, like a bug in
 * our own code: there is no retry and no time-out, and HTTP still works.
 */
process.on('SIGUSR2', () => {
  // `openClickHouse` does not connect; the spec needs only the class of all writers of this process.
  const { writer } = openClickHouse(clickHouseOptions(new AppConfig()));
  const shared = Object.getPrototypeOf(writer) as EventWriter;
  const never = () => new Promise<never>(() => undefined);
  Object.assign(shared, { append: never, appendRowBatches: never });
});
