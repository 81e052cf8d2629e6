import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AppConfig, kafkaLogOptions, loadConfig } from '#api';
import { openKafkaLog, type Log } from '#kafka';
import { freePort, startKafka, type RunningKafka } from '#local';
import { until } from '#testkit';
import { RecordingConsumer } from '../../packages/kafka/src/contract/recording-consumer.js';

const [user, password] = ['writer', 'a secret'];
const storePassword = 'changeit';

let folder: string;
let kafka: RunningKafka;
let brokers: string;
let certificate: string;

/** Creates the certificate with the keytool of Java, which is present wherever a broker runs. */
async function makeCertificate(): Promise<{ store: string; pem: string }> {
  const [store, pem] = [join(folder, 'broker.p12'), join(folder, 'broker.pem')];
  const keytool = (...args: string[]) =>
    promisify(execFile)('keytool', [
      ...args,
      ...['-alias', 'broker', '-keystore', store, '-storetype', 'PKCS12', '-storepass', storePassword],
    ]);
  const names = ['-dname', 'CN=localhost', '-ext', 'SAN=ip:127.0.0.1,dns:localhost'];
  await keytool('-genkeypair', '-keyalg', 'EC', '-groupname', 'secp256r1', '-validity', '2', ...names);
  await keytool('-exportcert', '-rfc', '-file', pem);
  return { store, pem };
}

/**
 * Returns the settings of a listener that requires TLS and a password. The listeners of the broker itself and of its
 * controller remain unsecured.
 */
async function securedListener(store: string): Promise<Record<string, string | number>> {
  const [plain, secured, controller] = [await freePort(), await freePort(), await freePort()];
  brokers = `127.0.0.1:${secured}`;
  const modules = 'org.apache.kafka.common.security';
  return {
    'controller.quorum.voters': `1@127.0.0.1:${controller}`,
    listeners: `PLAINTEXT://127.0.0.1:${plain},SECURED://${brokers},CONTROLLER://127.0.0.1:${controller}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${plain},SECURED://${brokers}`,
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SECURED:SASL_SSL',
    'sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512',
    'ssl.keystore.location': store,
    'ssl.keystore.type': 'PKCS12',
    'ssl.keystore.password': storePassword,
    'listener.name.secured.plain.sasl.jaas.config': `${modules}.plain.PlainLoginModule required user_${user}="${password}";`,
    'listener.name.secured.scram-sha-256.sasl.jaas.config': `${modules}.scram.ScramLoginModule required;`,
    'listener.name.secured.scram-sha-512.sasl.jaas.config': `${modules}.scram.ScramLoginModule required;`,
  };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-secured-'));
  const { store, pem } = await makeCertificate();
  certificate = pem;
  const scram = (mechanism: string) => ['--add-scram', `${mechanism}=[name=${user},password="${password}"]`];
  kafka = await startKafka({
    dataDir: join(folder, 'kafka'),
    properties: await securedListener(store),
    formatArgs: [...scram('SCRAM-SHA-256'), ...scram('SCRAM-SHA-512')],
  });
});
afterAll(async () => {
  await kafka.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

/** Opens a log with these settings, as an app does, and closes it after the work. */
async function using(env: Record<string, string>, work: (log: Log) => Promise<void>): Promise<void> {
  const settings = { KAFKA_BROKERS: brokers, KAFKA_REPLICATION_FACTOR: '1', ...env };
  const log = openKafkaLog(kafkaLogOptions(loadConfig(AppConfig, settings), 'test'));
  try {
    await work(log);
  } finally {
    await log.close();
  }
}

describe('a broker that requires TLS and a password', () => {
  const tls = () => ({ KAFKA_TLS: 'true', KAFKA_TLS_CA: certificate });
  const sasl = (mechanism: string, secret = password) => ({
    KAFKA_SASL_MECHANISM: mechanism,
    KAFKA_SASL_USERNAME: user,
    KAFKA_SASL_PASSWORD: secret,
  });
  const mechanisms = ['plain', 'scram-sha-256', 'scram-sha-512'];

  it.each(mechanisms)('accepts writes and reads with %s', async (mechanism) => {
    await using({ ...tls(), ...sasl(mechanism) }, async (log) => {
      const topic = `secured-${randomUUID()}`;
      await log.admin.create(topic, { partitions: 2 });
      const reader = new RecordingConsumer(log, randomUUID());
      await reader.consumer.subscribe([topic]);
      const producer = await log.producer();
      await producer.append([{ topic, key: 'k', value: 'secured' }]);
      await until(() => reader.records.length === 1, { what: 'the record' });
      expect(reader.values()).toEqual(['secured']);
    });
  });

  it.each(mechanisms)('rejects a wrong password of %s at once, without revealing it', async (mechanism) => {
    await using({ ...tls(), ...sasl(mechanism, 'hunter2') }, async (log) => {
      const refused = log.admin.ping();
      await expect(refused).rejects.toThrow(/authentication failed/i);
      await expect(refused).rejects.not.toThrow(/hunter2/);
    });
  });

  it('reports a certificate that is not trusted', async () => {
    await using({ KAFKA_TLS: 'true', ...sasl('plain') }, async (log) => {
      await expect(log.admin.ping()).rejects.toThrow(/self-signed certificate/);
    });
  });
});
