import { AreHostNames, FromText } from '#api';

/** Settings of the endpoint of CloudEvents. */
export class CloudEventsSettings {
  /**
   * Senders of CloudEvents whose webhook handshake (`OPTIONS`) is granted: DNS names such as eventgrid.azure.net,
   * comma-separated. Without any, the handshake is off.
   */
  @FromText('list') @AreHostNames() CLOUDEVENTS_ALLOWED_ORIGINS: string[] = [];
}
