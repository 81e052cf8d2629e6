import { Module, type OnModuleInit } from '@nestjs/common';
import { PROCESS, PRODUCER } from '#app';
import type { ProcessContext } from '#http';
import type { Producer } from '#kafka';
import {
  WebhookAddressPolicy,
  WebhookClient,
  WebhookDeliverer,
  WebhookSecrets,
  WebhookSecretSettings,
  WebhookSettings,
} from '#features/webhooks';
import { ProcessorTasks, TASK_DEPENDENCIES, withDeadLetters, type TaskDependencies } from '#processor-kit';
import { DeliveryOutages } from './output/delivery-outages.js';
import { countAttempt } from './output/webhook-stats.js';
import { PipelinesProcessor } from './pipelines-processor.js';

/** Time limit in milliseconds for the answer of a webhook's receiver. */
const webhookTimeoutMs = 15_000;

/** Nest module of the task that runs pipelines, and of the webhooks that they call. */
@Module({
  providers: [
    {
      provide: WebhookDeliverer,
      inject: [PROCESS, TASK_DEPENDENCIES, WebhookSettings, WebhookSecretSettings],
      useFactory: (
        { lifecycle }: ProcessContext,
        { store, definitions, logger, progress, onFailure }: TaskDependencies,
        { WEBHOOK_ALLOWED_NETWORKS: networks, WEBHOOK_FORBIDDEN_PORTS: ports }: WebhookSettings,
        { WEBHOOK_SECRETS: secrets }: WebhookSecretSettings,
      ) => {
        const client = new WebhookClient(new WebhookAddressPolicy(networks, ports), webhookTimeoutMs);
        const outages = new DeliveryOutages({
          writer: store.pipelines,
          logger,
          now: Date.now,
          isCurrent: (job) => definitions.pipelines.all().some(({ run }) => run.id === job),
          onFailure: (error) => onFailure(error as Error),
        });
        lifecycle.onStop('webhooks', async () => {
          client.close();
          await outages.stop();
        });
        return new WebhookDeliverer({
          poster: client,
          secrets: new WebhookSecrets(secrets),
          // A pipeline that waits for a webhook receiver counts as making progress. If the liveness check failed, the
          // restarted process would begin the delivery attempts again, without end.
          attempted: (attempt) => {
            progress.attempted();
            countAttempt(attempt);
            outages.attempted(attempt);
          },
        });
      },
    },
    {
      provide: PipelinesProcessor,
      inject: [TASK_DEPENDENCIES, PRODUCER, WebhookDeliverer],
      useFactory: ({ store, ...shared }: TaskDependencies, producer: Producer, webhooks: WebhookDeliverer) =>
        new PipelinesProcessor({
          ...shared,
          producer,
          webhooks,
          reader: store.reader,
          projections: store.projections,
          writer: withDeadLetters(store.pipelines, store),
        }),
    },
  ],
})
export class PipelinesModule implements OnModuleInit {
  constructor(
    private readonly tasks: ProcessorTasks,
    private readonly processor: PipelinesProcessor,
  ) {}

  onModuleInit(): void {
    this.tasks.add(this.processor);
  }
}
