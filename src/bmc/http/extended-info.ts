import { isSecretName, redactedMark, redactText } from '../../telemetry/index.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { cutText, plainText } from '../plain-text.ts';

/** What the BMC says about an error. */
export interface ErrorNotes {
  readonly detail: string;
  readonly messageIds: readonly string[];
}

const maxDetail = 600;
const maxId = 200;

/**
 * Texts and message ids of a Redfish error body; extended info may be a list or a single object. The secrets are taken
 * out of both: some BMCs quote the value that they do not like.
 */
export function readErrorNotes(body: JsonObject, secrets: readonly string[] = []): ErrorNotes {
  const error = asObject(body.error);
  const infos = [...asObjects(error?.['@Message.ExtendedInfo']), ...asObjects(body['@Message.ExtendedInfo'])];
  const messageIds = infos.flatMap((info) => asText(info.MessageId) ?? asText(info.MessageID) ?? []);
  const code = asText(error?.code);
  const said = asText(error?.message);
  // Some say the reason only above the list, most say only there where to find it.
  const isReason =
    said !== undefined && !/ExtendedInfo/i.test(said) && infos.every((info) => info.Message === undefined);
  const texts = isReason ? [said] : infos.flatMap((info) => asText(info.Message) ?? asText(info.MessageId) ?? []);
  if (texts.length === 0) texts.push(...[said ?? code ?? []].flat());
  if (messageIds.length === 0 && code !== undefined) messageIds.push(code);
  // Cut only after the secrets were taken out: half of one would not be recognised.
  const tidy = (text: string, most: number): string => cutText(plainText(withoutSecrets(text, secrets)).trim(), most);
  return {
    detail: tidy([...new Set(texts)].join('; '), maxDetail),
    messageIds: messageIds.map((id) => tidy(id, maxId)),
  };
}

/** Takes the secrets of a request out of what the BMC says about it. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  // The longest first: one may be a part of another, whose rest would stay.
  const byLength = secrets.filter((secret) => secret !== '').toSorted((a, b) => b.length - a.length);
  return redactText(byLength.reduce((safe, secret) => safe.replaceAll(secret, redactedMark), text));
}

/** Values in a request body that must not be shown. */
export function secretsIn(body: JsonObject): string[] {
  return Object.entries(body).flatMap(([name, value]) => {
    if (typeof value === 'string') return isSecretName(name) ? [value] : [];
    return typeof value === 'object' && value !== null ? secretsIn(value as JsonObject) : [];
  });
}

function asObject(value: JsonValue | undefined): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}

function asObjects(value: JsonValue | undefined): JsonObject[] {
  return (Array.isArray(value) ? value : [value]).map(asObject).filter((item) => item !== undefined);
}

function asText(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
