import { type KubeObject, pathOf, type Resource, type Where } from './kinds.ts';
import { RefusedError } from './refused.ts';
import { ask, send } from './request.ts';

/** One part of a list. */
export interface ListPage {
  readonly items: readonly KubeObject[];
  readonly resourceVersion: string;
  /** Where the next part begins; undefined when there is none. */
  readonly after: string | undefined;
}

/** One line of a watch. */
export interface ServerEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: KubeObject;
}

interface Asked {
  readonly resource: Resource;
  readonly where?: Where | undefined;
  readonly signal: AbortSignal;
}

/** The first part is small so that there is something to see at once. */
const firstPageItems = 250;
const pageItems = 1000;
/** The server closes a watch then; the next goes on where it ended. */
const watchSeconds = 600;

/** Reads a part of a list. */
export async function pageOfList({
  resource,
  where,
  after,
  signal,
}: Asked & { readonly after: string | undefined }): Promise<ListPage> {
  const query = new URLSearchParams({
    limit: String(after === undefined ? firstPageItems : pageItems),
    ...(after === undefined ? {} : { continue: after }),
    pretty: 'false',
    ...selectorOf(where),
  });
  const { items, metadata } = await ask<{
    items: readonly KubeObject[];
    metadata: { resourceVersion?: string; continue?: string };
  }>({ path: `${pathOf(resource, { namespace: where?.namespace })}?${query}`, signal });
  const next = metadata.continue;
  return { items, resourceVersion: metadata.resourceVersion ?? '0', after: next === '' ? undefined : next };
}

/** Tells of each change until the server ends it; `expired` when its version is too old to go on from. */
export async function watchEvents(
  { resource, where, from, signal }: Asked & { readonly from: string },
  tell: (event: ServerEvent) => void,
): Promise<'ended' | 'expired'> {
  const query = new URLSearchParams({
    watch: 'true',
    allowWatchBookmarks: 'true',
    resourceVersion: from,
    timeoutSeconds: String(watchSeconds),
    pretty: 'false',
    ...selectorOf(where),
  });
  const path = `${pathOf(resource, { namespace: where?.namespace })}?${query}`;
  try {
    const { body } = await send({ path, signal });
    if (body === null) return 'ended';
    for await (const line of linesOf(body)) {
      const event = JSON.parse(line) as { type: string; object: KubeObject & { code?: number; message?: string } };
      if (event.type === 'ERROR') {
        if (event.object.code === 410) return 'expired';
        throw new RefusedError(event.object.code ?? 500, event.object.message ?? 'the watch failed');
      }
      tell(event as ServerEvent);
    }
    return 'ended';
  } catch (error) {
    if (error instanceof RefusedError && error.status === 410) return 'expired';
    throw error;
  }
}

/** The lines of a stream of bytes, empty ones left out. */
export async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      const lines = rest.split('\n');
      rest = done ? '' : (lines.pop() ?? '');
      for (const line of lines) if (line !== '') yield line;
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => undefined); // whoever stops reading early has no use for its end
  }
}

function selectorOf(where: Where | undefined): Record<string, string> {
  return where?.name === undefined ? {} : { fieldSelector: `metadata.name=${where.name}` };
}
