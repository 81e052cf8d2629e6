import { AppConfig } from '#api';
import { clickHouseOptions, openClickHouse, type EventWriter } from '#store';

/**
 * Loaded before an app by a fault spec (`node --import`): from SIGUSR2 on, an insert neither ends nor fails. It is what
 * a mistake in our own code would look like: nothing is tried again, nothing times out, HTTP goes on answering.
 */
process.on('SIGUSR2', () => {
  // Opening connects to nothing; what counts is the class behind every writer of this process.
  const { writer } = openClickHouse(clickHouseOptions(new AppConfig()));
  const shared = Object.getPrototypeOf(writer) as EventWriter;
  const never = () => new Promise<never>(() => undefined);
  Object.assign(shared, { append: never, appendBlocks: never });
});
