import type { KubeObject } from '../object.ts';
import type { RequestContext } from '../request-context.ts';
import type { TableColumn } from '../resource.ts';
import type { ServedResource } from '../served-resource.ts';
import { type ApiError, badRequest, notAcceptable, plainError } from '../status.ts';
import type { RenderedPage } from './list.ts';

/** How many `metadata` bytes of a Table row are kept: all of it, only metadata, or nothing. */
type IncludeObject = 'None' | 'Metadata' | 'Object';

function includeObjectOf(context: RequestContext): IncludeObject {
  const asked = context.info.query.get('includeObject') ?? '';
  if (asked === '' || asked === 'Metadata') return 'Metadata';
  if (asked === 'None' || asked === 'Object') return asked;
  const fault = `includeObject: Invalid value: ${JSON.stringify(asked)}: must be 'Metadata', 'Object', 'None', or empty`;
  throw badRequest(`Unable to convert to Table as requested: ${fault}`);
}

/** Throws 400 for a Table whose rows shall carry something that there is not. */
export function checkPresentable(context: RequestContext): void {
  if (context.media.as === 'Table') includeObjectOf(context);
}

/**
 * Refuses a client that could not be shown what it writes. The real server says so too, but only after it has written: what is
 * refused here leaves nothing.
 */
export function refuseUnpresentable(context: RequestContext, served: ServedResource): void {
  if (context.media.as === 'PartialObjectMetadataList') throw noList(served);
  checkPresentable(context);
}

/** One object as the client wants to see it: itself, a Table of one row, or its metadata alone. */
export function presentObject(context: RequestContext, served: ServedResource, json: string): string {
  if (context.media.as === 'object') return json;
  if (context.media.as === 'Table') return JSON.stringify(tableOf(context, served, [json], singleMeta(json)));
  if (context.media.as === 'PartialObjectMetadataList') throw noList(served);
  return JSON.stringify(partialOf(context, JSON.parse(json) as KubeObject));
}

/** The object inside a watch event; the columns of a Table go with the first event only. */
export function eventObject(
  context: RequestContext,
  served: ServedResource,
  json: string,
  event: { isBookmark: boolean; isFirst: boolean },
): string {
  if (context.media.as === 'object') return json;
  if (context.media.as !== 'Table') return JSON.stringify(partialOf(context, JSON.parse(json) as KubeObject));
  // A bookmark has nothing of its kind to show in the columns, but for custom resources all are shown alike.
  const isRow = !event.isBookmark || served.origin === 'custom';
  const table = tableOf(context, served, isRow ? [json] : [], singleMeta(json));
  return JSON.stringify(event.isFirst ? table : { ...table, columnDefinitions: null });
}

function singleMeta(json: string): { resourceVersion: string } {
  const object = JSON.parse(json) as KubeObject;
  return { resourceVersion: object.metadata.resourceVersion ?? '' };
}

function partialOf(context: RequestContext, object: KubeObject): object {
  return {
    kind: 'PartialObjectMetadata',
    apiVersion: `meta.k8s.io/${context.media.asVersion}`,
    metadata: object.metadata,
  };
}

/** A page of objects as a list, a Table or a PartialObjectMetadataList. Of long ones others have their turn in between. */
export async function presentList(
  context: RequestContext,
  served: ServedResource,
  page: RenderedPage,
): Promise<string> {
  const metadata = listMeta(page);
  if (context.media.as === 'Table') return presentTable(context, served, page);
  if (context.media.as === 'object') {
    // kube-apiserver drops apiVersion and kind inside typed lists of built-in kinds; clients rely on the list's own.
    const shown = served.origin === 'custom' ? { continue: '', ...metadata } : metadata;
    const head = `{"kind":"${served.listKind}","apiVersion":"${served.apiVersion}","metadata":${JSON.stringify(shown)},"items":[`;
    const items = served.origin === 'builtin' ? await eachText(context, page.items, withoutTypeMeta) : page.items;
    return `${head}${items.join(',')}]}`;
  }
  if (context.media.as === 'PartialObjectMetadata') throw noSingleObject(served);
  const list = { kind: 'PartialObjectMetadataList', apiVersion: `meta.k8s.io/${context.media.asVersion}`, metadata };
  const partial = (json: string): string => JSON.stringify(partialOf(context, JSON.parse(json) as KubeObject));
  return withList(list, 'items', await eachText(context, page.items, partial));
}

async function presentTable(context: RequestContext, served: ServedResource, page: RenderedPage): Promise<string> {
  const include = includeObjectOf(context);
  const row = (json: string): string => JSON.stringify(tableRow(context, served, json, include));
  const head = tableHead(context, served, listMeta(page));
  if (page.items.length === 0 && served.table.isPlain === true) return JSON.stringify({ ...head, rows: null });
  return withList(head, 'rows', await eachText(context, page.items, row));
}

/** Makes a text of each text. */
async function eachText(
  { work }: RequestContext,
  texts: readonly string[],
  make: (text: string) => string,
): Promise<string[]> {
  const made: string[] = [];
  for (const text of texts) {
    const pause = work.pauseAfter(text);
    if (pause !== undefined) await pause;
    made.push(make(text));
  }
  return made;
}

/** An object with a list of JSON texts as its last field. */
function withList(head: object, name: string, texts: readonly string[]): string {
  return `${JSON.stringify(head).slice(0, -1)},"${name}":[${texts.join(',')}]}`;
}

/** 406: the metadata of one object was asked for where there are many. */
function noSingleObject({ origin, group, listKind }: ServedResource): ApiError {
  const type = origin === 'custom' ? '*unstructured.UnstructuredList' : `*${packageOf(group)}.${listKind}`;
  return notAcceptable(`you requested PartialObjectMetadata, but the requested object is a list (${type})`);
}

/** 406, or 500 for custom resources: the metadata of many objects was asked for where there is one. */
function noList({ origin, group, kind }: ServedResource): ApiError {
  if (origin === 'custom') return plainError('content is not a list');
  const type = `*${packageOf(group)}.${kind}`;
  return notAcceptable(`you requested PartialObjectMetadataList, but the requested object is not a list (${type})`);
}

/** The Go package in which kube-apiserver has the kinds of a group. */
function packageOf(group: string): string {
  if (group === 'autoscaling') return 'v1'; // a Scale is shown as clients know it, all else as the server does
  return group === '' ? 'core' : (group.split('.')[0] ?? '');
}

function listMeta(page: RenderedPage) {
  return {
    resourceVersion: page.resourceVersion,
    ...(page.continueToken === '' ? {} : { continue: page.continueToken }),
    ...(page.remainingItemCount === undefined || page.remainingItemCount === 0
      ? {}
      : { remainingItemCount: page.remainingItemCount }),
  };
}

const typeMeta = /^\{"(?:kind|apiVersion)":"[^"\\]*","(?:kind|apiVersion)":"[^"\\]*",/;

function withoutTypeMeta(json: string): string {
  const stripped = json.replace(typeMeta, '{');
  if (stripped.length !== json.length) return stripped;
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = JSON.parse(json) as KubeObject;
  return JSON.stringify(rest);
}

function tableHead(context: RequestContext, served: ServedResource, metadata: object): object {
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${context.media.asVersion}`,
    metadata,
    columnDefinitions: served.table.columns.map(columnDefinition),
  };
}

function tableOf(context: RequestContext, served: ServedResource, items: string[], metadata: object): object {
  const include = includeObjectOf(context);
  return {
    ...tableHead(context, served, metadata),
    rows:
      items.length === 0 && served.table.isPlain === true
        ? null
        : items.map((json) => tableRow(context, served, json, include)),
  };
}

function columnDefinition(column: TableColumn): object {
  return {
    name: column.name,
    type: column.type,
    format: column.format ?? '',
    description: column.description ?? '',
    priority: column.priority ?? 0,
  };
}

function tableRow(context: RequestContext, served: ServedResource, json: string, include: IncludeObject): object {
  const object = JSON.parse(json) as KubeObject;
  const cells = served.table.row(object, context.now);
  const conditions = served.table.conditions?.(object);
  const shown = include === 'None' ? null : include === 'Object' ? object : partialOf(context, object);
  return { cells, ...(conditions === undefined ? {} : { conditions }), object: shown };
}
