import type { IronicClient } from './ironic-client.ts';
import { type JsonObject, objectsOf, textOf } from './json.ts';

/** As many as Ironic gives at once where nobody told it to give fewer. */
const pageSize = 1000;

/** Every node or port, with those members only, page by page. Throws IronicError. */
export async function listAll(
  client: IronicClient,
  wish: { readonly kind: 'nodes' | 'ports'; readonly fields: readonly string[] },
): Promise<readonly JsonObject[]> {
  const found: JsonObject[] = [];
  let marker: string | undefined;
  do {
    const from = marker === undefined ? '' : `&marker=${marker}`;
    const path = `/${wish.kind}?fields=${wish.fields.join(',')}&limit=${pageSize}${from}`;
    const answer = await client.call({ method: 'GET', path });
    const page = objectsOf(answer[wish.kind]);
    found.push(...page);
    // A short page is not the last one where Ironic gives fewer than were asked for: only its link tells.
    marker = textOf(answer.next) === undefined ? undefined : textOf(page.at(-1)?.uuid);
  } while (marker !== undefined);
  return found;
}
