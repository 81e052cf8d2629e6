import { IsBoolean } from 'class-validator';
import { FromText } from '#api';

/** Settings of the console. */
export class ConsoleSettings {
  /**
   * Whether the console on the core port offers changes. On the query port the scopes of the key decide. The API of the
   * core port accepts changes in any case.
   */
  @FromText('boolean') @IsBoolean() CONSOLE_WRITES = false;
}
