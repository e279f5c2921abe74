import { createHash } from 'node:crypto';

/** A text without what addresses in it may hold in confidence: names and passwords, and queries, which may be tokens. */
export function withoutSecrets(text: string): string {
  return text
    .replaceAll(/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/?#@]*@/gi, '$1')
    .replaceAll(/(\b[a-z][a-z0-9+.-]*:\/\/[^\s?#"']*)\?[^\s"']*/gi, '$1?...');
}

/** What is kept of the address of an image: all of it, or a digest beside what may be shown of it. */
export function imageMarkOf(url: string): string {
  const shown = withoutSecrets(url);
  return shown === url ? url : `${shown} (${createHash('sha256').update(url).digest('hex').slice(0, 16)})`;
}
