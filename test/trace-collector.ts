import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span of OTLP/JSON, with its attributes as an object. */
export interface CollectedSpan {
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  links: string[];
  attributes: Record<string, unknown>;
}

interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: number | string; boolValue?: boolean };
}

type OtlpSpan = Omit<CollectedSpan, 'service' | 'links' | 'attributes'> & {
  attributes: Attribute[];
  links?: { spanId: string }[];
};

interface OtlpTraces {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: { spans: OtlpSpan[] }[];
  }[];
}

/** A minimal OpenTelemetry collector for tests: it accepts traces as OTLP/JSON over HTTP. */
export class TraceCollector {
  readonly spans: CollectedSpan[] = [];
  private readonly server: Server;

  private constructor() {
    this.server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        this.take(JSON.parse(Buffer.concat(parts).toString()) as OtlpTraces);
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    });
  }

  static async listening(): Promise<TraceCollector> {
    const collector = new TraceCollector();
    await new Promise<void>((resolve) => collector.server.listen(0, '127.0.0.1', resolve));
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Returns the spans of one trace that have arrived so far. */
  ofTrace(traceId: string): CollectedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private take({ resourceSpans }: OtlpTraces): void {
    for (const { resource, scopeSpans } of resourceSpans) {
      const service = String(valuesOf(resource.attributes)['service.name']);
      for (const { attributes, links = [], ...span } of scopeSpans.flatMap(({ spans }) => spans))
        this.spans.push({
          ...span,
          ...{ service, attributes: valuesOf(attributes), links: links.map(({ spanId }) => spanId) },
        });
    }
  }
}

function valuesOf(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? value.boolValue ?? (value.intValue !== undefined && Number(value.intValue)),
    ]),
  );
}
