// The longest name a field manager may have, in bytes of UTF-8.
const maxBytes = 128;

/** The manager a write is recorded under: the `fieldManager` parameter, else the user agent up to its first slash. */
export function fieldManagerOfRequest(request: {
  fieldManager: string | undefined;
  userAgent: string | undefined;
}): string {
  if (request.fieldManager !== undefined && request.fieldManager !== '') return request.fieldManager;
  let name = '';
  let bytes = 0;
  for (const character of (request.userAgent ?? '').split('/')[0] ?? '') {
    if (!/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(character)) continue;
    bytes += Buffer.byteLength(character);
    if (bytes > maxBytes) break;
    name += character;
  }
  return name;
}
