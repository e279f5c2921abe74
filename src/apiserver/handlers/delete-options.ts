import {
  decodeFault,
  invalidError,
  isJsonObject,
  type JsonObject,
  type JsonSchema,
  notSupportedError,
} from '../../schema/index.ts';
import { isTrue } from '../http/request-info.ts';
import type { RequestContext } from '../request-context.ts';
import { badRequest, invalidOptions, plainError } from '../status.ts';
import { dryRunErrors } from './write-options.ts';

/** What a delete asks for, from its body or its query. */
export interface DeleteOptions {
  readonly dryRun: boolean;
  readonly gracePeriodSeconds: number | undefined;
  readonly propagationPolicy: 'Orphan' | 'Foreground' | 'Background' | undefined;
  /** The old form: `orphanDependents: false` asks for cascading, and is answered 202 while it goes on. */
  readonly orphanDependents: boolean | undefined;
  readonly preconditions: { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined };
  /** As sent, for admission webhooks. */
  readonly raw: JsonObject;
}

const text: JsonSchema = { type: 'string' };
const schema: JsonSchema = {
  type: 'object',
  'x-go-type': 'v1.DeleteOptions',
  properties: {
    kind: text,
    apiVersion: text,
    gracePeriodSeconds: { type: 'integer', format: 'int64' },
    preconditions: {
      type: 'object',
      'x-go-type': 'v1.Preconditions',
      properties: { uid: { type: 'string', 'x-go-type': 'types.UID' }, resourceVersion: text },
    },
    orphanDependents: { type: 'boolean' },
    propagationPolicy: { type: 'string', 'x-go-type': 'v1.DeletionPropagation' },
    dryRun: { type: 'array', items: text },
  },
};

/** Reads DeleteOptions from a decoded body, or from the query when there is none: the two are never mixed. */
export function readDeleteOptions(context: RequestContext, body: JsonObject | undefined): DeleteOptions {
  const raw = body ?? optionsFromQuery(context.info.query);
  if (body !== undefined && (body.kind ?? '') !== '' && body.kind !== 'DeleteOptions') {
    const version = JSON.stringify(body.apiVersion ?? '');
    throw plainError(
      `no kind ${JSON.stringify(body.kind)} is registered for version ${version} in scheme "pkg/runtime/scheme.go:110"`,
    );
  }
  const fault = decodeFault(raw, schema);
  if (fault !== undefined) throw plainError(fault);
  const preconditions = isJsonObject(raw.preconditions) ? raw.preconditions : {};
  const given = Array.isArray(raw.dryRun) ? raw.dryRun.map(String) : [];
  const faults = dryRunErrors(given);
  if (faults.length > 0) throw invalidOptions('DeleteOptions', ...faults);
  context.asked.isDryRun = given.length > 0;
  const orphanDependents = typeof raw.orphanDependents === 'boolean' ? raw.orphanDependents : undefined;
  return {
    dryRun: given.length > 0,
    gracePeriodSeconds: typeof raw.gracePeriodSeconds === 'number' ? raw.gracePeriodSeconds : undefined,
    propagationPolicy: readPolicy(raw, orphanDependents),
    orphanDependents,
    preconditions: {
      uid: typeof preconditions.uid === 'string' ? preconditions.uid : undefined,
      resourceVersion: typeof preconditions.resourceVersion === 'string' ? preconditions.resourceVersion : undefined,
    },
    raw: { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1', ...raw },
  };
}

function optionsFromQuery(query: URLSearchParams): JsonObject {
  const options: JsonObject = {};
  if (query.has('dryRun')) options.dryRun = query.getAll('dryRun');
  const policy = query.get('propagationPolicy');
  const grace = query.get('gracePeriodSeconds');
  const orphan = query.get('orphanDependents');
  const preconditions: JsonObject = {};
  for (const name of ['uid', 'resourceVersion']) {
    const value = query.get(name);
    if (value !== null && value !== '') preconditions[name] = value;
  }
  if (Object.keys(preconditions).length > 0) options.preconditions = preconditions;
  if (policy !== null) options.propagationPolicy = policy;
  if (grace !== null && !/^-?\d+$/.test(grace)) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(grace)}: invalid syntax`);
  }
  if (grace !== null) options.gracePeriodSeconds = Number(grace);
  if (orphan !== null) options.orphanDependents = isTrue(orphan);
  return options;
}

function readPolicy(raw: JsonObject, orphanDependents: boolean | undefined): DeleteOptions['propagationPolicy'] {
  const policy = raw.propagationPolicy ?? undefined;
  if (policy !== undefined && orphanDependents !== undefined) {
    const why = 'orphanDependents and deletionPropagation cannot be both set';
    throw invalidOptions('DeleteOptions', invalidError('propagationPolicy', policy, why));
  }
  if (orphanDependents !== undefined) return orphanDependents ? 'Orphan' : 'Background';
  if (policy === undefined || policy === 'Orphan' || policy === 'Foreground' || policy === 'Background') return policy;
  const known = ['Foreground', 'Background', 'Orphan', 'nil'];
  throw invalidOptions('DeleteOptions', notSupportedError('propagationPolicy', policy, known));
}
