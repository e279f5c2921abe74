import { hash } from 'node:crypto';
import type { ServiceFeatures } from '../../personalities/personality.ts';
import type { JsonObject } from '../route.ts';

/** Members that change by themselves: with them no ETag would live long enough to be sent back. */
const restless = /"(?:DateTime|DateTimeLocalOffset|CurrentTime)":"[^"]*",?/g;

/** A body as text, and the ETag it goes with. */
export interface Tagged {
  readonly text: string;
  readonly etag: string;
}

/** The ETag of a body, in the form the service uses, and the body with it inside when it is a resource. */
export function tagBody(body: JsonObject, service: ServiceFeatures): Tagged {
  const text = JSON.stringify(body);
  const opaque = `"${hash('sha1', text.replace(restless, ''), 'hex').slice(0, 16).toUpperCase()}"`;
  const etag = service.hasWeakEtags ? `W/${opaque}` : opaque;
  if (body['@odata.id'] === undefined || body['@odata.etag'] !== undefined) return { text, etag };
  return { text: `{"@odata.etag":${JSON.stringify(etag)},${text.slice(1)}`, etag };
}

/** True when an If-Match header lets a change of a resource with this ETag through. */
export function passesIfMatch(header: string, etag: string, service: ServiceFeatures): boolean {
  const given = listTags(header);
  if (given.includes('*')) return true;
  const isAccepted = (tag: string): boolean =>
    opaqueOf(tag) === opaqueOf(etag) && !(tag.startsWith('W/') && service.doesRefuseWeakIfMatch === true);
  return given.some(isAccepted);
}

/** True when an If-None-Match header already names this ETag: the comparison is the weak one. */
export function namesEtag(header: string, etag: string): boolean {
  return listTags(header).some((tag) => tag === '*' || opaqueOf(tag) === opaqueOf(etag));
}

/** The ETag of a compressed body, as the usual web servers rewrite it. */
export function compressedEtag(etag: string): string {
  return etag.replace(/"$/, '-gzip"');
}

function listTags(header: string): string[] {
  return header.split(',').map((tag) => tag.trim());
}

function opaqueOf(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag;
}
