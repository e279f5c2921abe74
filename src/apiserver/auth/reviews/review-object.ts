import { compileSchema, isJsonObject, type Json, type JsonObject } from '../../../schema/index.ts';
import { kubeTime } from '../../core.ts';
import { readWriteOptions } from '../../handlers/write-options.ts';
import type { RequestContext } from '../../request-context.ts';
import { badRequest } from '../../status.ts';
import { type ReviewKind, reviewSchemas } from './review-schemas.ts';

/** A question as it came in, decoded. */
export interface Review {
  readonly apiVersion: string;
  readonly kind: ReviewKind;
  readonly metadata: JsonObject;
  readonly spec: JsonObject;
}

/** Decodes the body of a review; `emptyStructs` are the fields of spec that Go has even in an empty object. */
export type ReviewDecoder = (context: RequestContext, body: JsonObject) => Review;

/** Makes the decoder of one kind. Wrong types are refused and unknown fields dropped, as for any built-in kind. */
export function reviewDecoder(
  apiVersion: string,
  kind: ReviewKind,
  emptyStructs: readonly string[] = [],
): ReviewDecoder {
  const compiled = compileSchema(reviewSchemas[kind], { kind: 'builtin', isRoot: true });
  return (context, body) => {
    const head = `${kind} in version "v1" cannot be handled as a ${kind}`;
    const fault = compiled.decodeFault(body);
    if (fault !== undefined) throw badRequest(`${head}: ${fault}`);
    for (const field of compiled.prune(body)) context.warnings.add(`unknown field ${JSON.stringify(field)}`);
    const spec = isJsonObject(body.spec) ? withoutEmpty(body.spec) : {};
    const metadata = isJsonObject(body.metadata) ? { ...body.metadata } : {};
    checkNamespace(context, metadata);
    if (context.info.namespace !== '') metadata.namespace = context.info.namespace;
    const entry = managedEntry(context, apiVersion, { metadata, spec, emptyStructs });
    if (entry !== undefined) metadata.managedFields = [entry];
    return { apiVersion, kind, metadata, spec };
  };
}

function checkNamespace(context: RequestContext, metadata: JsonObject): void {
  const given = metadata.namespace ?? '';
  if (given === '' || given === context.info.namespace) return;
  throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
}

/** Go leaves empty texts, lists and maps out. */
function withoutEmpty(object: JsonObject): JsonObject {
  const kept: JsonObject = {};
  for (const [name, value] of Object.entries(object)) {
    if (value === null || value === '' || (Array.isArray(value) && value.length === 0)) continue;
    kept[name] = isJsonObject(value) ? withoutEmpty(value) : value;
  }
  return kept;
}

function managedEntry(
  context: RequestContext,
  apiVersion: string,
  object: { metadata: JsonObject; spec: JsonObject; emptyStructs: readonly string[] },
): JsonObject | undefined {
  const { metadata, spec, emptyStructs } = object;
  const owned: JsonObject = {};
  const { labels, annotations } = metadata;
  const marks = { ...(labels === undefined ? {} : { labels }), ...(annotations === undefined ? {} : { annotations }) };
  if (Object.keys(marks).length > 0) owned['f:metadata'] = fieldsOf(marks, []);
  if (Object.keys(spec).length > 0) owned['f:spec'] = fieldsOf(spec, emptyStructs);
  if (Object.keys(owned).length === 0) return undefined;
  const { fieldManager } = readWriteOptions(context, 'CreateOptions');
  return {
    manager: fieldManager,
    operation: 'Update',
    apiVersion,
    time: kubeTime(context.now),
    fieldsType: 'FieldsV1',
    fieldsV1: owned,
    ...(context.info.subresource === '' ? {} : { subresource: context.info.subresource }),
  };
}

function fieldsOf(object: JsonObject, emptyStructs: readonly string[]): JsonObject {
  const fields: JsonObject = {};
  for (const [name, value] of Object.entries(object)) {
    const isLeaf = !isJsonObject(value) || Object.keys(value).length === 0;
    fields[`f:${name}`] = isLeaf ? {} : { ...(emptyStructs.includes(name) ? {} : { '.': {} }), ...fieldsOf(value, []) };
  }
  return fields;
}

/** The list of texts in a field. */
export function textsOf(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

/** The text in a field; empty when it is absent. */
export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
