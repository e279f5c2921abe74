import { ApiError, notAcceptable } from '../status.ts';

/** The form an answer takes. */
export interface MediaChoice {
  readonly format: 'json' | 'yaml';
  /** What the object is turned into before it is written. */
  readonly as: 'object' | 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';
  /** The group version of the Table or PartialObjectMetadata asked for. */
  readonly asVersion: 'v1' | 'v1beta1';
  readonly contentType: string;
  readonly pretty: boolean;
}

const plainJson: MediaChoice = {
  format: 'json',
  as: 'object',
  asVersion: 'v1',
  contentType: 'application/json',
  pretty: false,
};

interface AcceptClause {
  type: string;
  params: Record<string, string>;
  quality: number;
}

function parseClause(text: string): AcceptClause {
  const [type = '', ...rest] = text.split(';').map((p) => p.trim());
  const params: Record<string, string> = {};
  for (const item of rest) {
    const at = item.indexOf('=');
    if (at > 0) params[item.slice(0, at)] = item.slice(at + 1);
  }
  return { type, params, quality: params.q === undefined ? 1 : Number(params.q) };
}

const written = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
const streamed = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'];

/**
 * Built-in kinds are behind a router that compares media types letter by letter, before anything else is looked at.
 * Throws 406 for what it does not let through.
 */
export function checkRouted(accept: string | undefined, route: { isCollection: boolean }): void {
  if (accept === undefined || accept === '') return;
  const types = accept.split(',').map((clause) => (clause.split(';')[0] ?? '').trim());
  if (types.some((type) => type === '*/*' || written.includes(type))) return;
  const available = route.isCollection ? [...written, ...streamed] : written;
  const message = `406: Not Acceptable\n\nAvailable representations: ${available.join(', ')}`;
  throw new ApiError({ code: 406, reason: 'NotAcceptable', message, details: {} });
}

/** 406: events can be written one after the other in other forms only. */
export function noStreamFits(): ApiError {
  return notAcceptable(`only the following media types are accepted: ${streamed.join(', ')}`);
}

/** Picks the answer's form from an Accept header; throws 406 when nothing fits. */
export function chooseMedia(
  accept: string | undefined,
  options: { canTransform: boolean; pretty: boolean },
): MediaChoice {
  if (accept === undefined || accept === '' || accept === 'application/json' || accept === '*/*') {
    return options.pretty ? { ...plainJson, pretty: true } : plainJson;
  }
  const clauses = accept.split(',').map(parseClause);
  clauses.sort((a, b) => b.quality - a.quality); // stable: order of mention breaks ties
  for (const clause of clauses) {
    const choice = choiceOf(clause, options);
    if (choice !== undefined) return choice;
  }
  throw noMediaFits();
}

/** 406, naming what kube-apiserver names. */
export function noMediaFits(): ApiError {
  return notAcceptable(`only the following media types are accepted: ${written.join(', ')}`);
}

function choiceOf(clause: AcceptClause, options: { canTransform: boolean; pretty: boolean }): MediaChoice | undefined {
  const format = formatOf(clause.type);
  if (format === undefined) return undefined;
  const contentType = format === 'json' ? 'application/json' : 'application/yaml';
  const as = clause.params.as;
  const pretty = options.pretty || clause.params.pretty === '1';
  if (as === undefined) return { format, as: 'object', asVersion: 'v1', contentType, pretty };
  if (!options.canTransform || clause.params.g !== 'meta.k8s.io') return undefined;
  const version = clause.params.v;
  if (version !== 'v1' && version !== 'v1beta1') return undefined;
  if (as !== 'Table' && as !== 'PartialObjectMetadata' && as !== 'PartialObjectMetadataList') return undefined;
  return { format, as, asVersion: version, contentType, pretty };
}

function formatOf(type: string): 'json' | 'yaml' | undefined {
  if (type === 'application/json' || type === 'application/*' || type === '*/*') return 'json';
  if (type === 'application/yaml') return 'yaml';
  return undefined;
}
