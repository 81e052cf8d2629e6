import { IsBoolean } from 'class-validator';
import { AreHostNames, FromText } from '#api';

/** Settings of the write endpoints. */
export class WriteSettings {
  /** Whether the first event of an unknown stream creates the stream. */
  @FromText('boolean') @IsBoolean() AUTO_CREATE_STREAMS = true;
  /**
   * Senders of CloudEvents whose webhook handshake (`OPTIONS`) is granted: DNS names such as eventgrid.azure.net,
   * comma-separated. Without any, the handshake is off.
   */
  @FromText('list') @AreHostNames() CLOUDEVENTS_ALLOWED_ORIGINS: string[] = [];
}
