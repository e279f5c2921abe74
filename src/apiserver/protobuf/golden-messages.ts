import { readFileSync } from 'node:fs';
import type { JsonObject } from '../../schema/index.ts';

/** For tests: a body as Kubernetes' own Go types marshal it, and the JSON that Go writes of the same object. */
export interface GoldenMessage {
  readonly name: string;
  readonly body: Buffer;
  readonly json: JsonObject & { readonly apiVersion: string; readonly kind: string };
}

/** For tests: every kind in three ways, filled, with pointers to zero values, and empty. */
export function goldenMessages(): GoldenMessage[] {
  const text = readFileSync(new URL('./golden-messages.gen.json', import.meta.url), 'utf8');
  const file = JSON.parse(text) as Record<string, { protobuf: string; json: GoldenMessage['json'] }>;
  return Object.entries(file).map(([name, { protobuf, json }]) => ({
    name,
    body: Buffer.from(protobuf, 'base64'),
    json,
  }));
}
