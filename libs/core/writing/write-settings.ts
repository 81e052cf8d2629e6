import { IsBoolean } from 'class-validator';
import { FromText } from '#api';

/** Settings of the write endpoints. */
export class WriteSettings {
  /** Whether the first event of an unknown stream creates the stream. */
  @FromText('boolean') @IsBoolean() AUTO_CREATE_STREAMS = true;
}
