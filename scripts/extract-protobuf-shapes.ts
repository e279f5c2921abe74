/**
 * Reads how the built-in kinds are laid out in protobuf from the .proto files and struct tags of Kubernetes' Go modules
 * and writes the facts to src/apiserver/protobuf/shapes.gen.json. Needed only when the Kubernetes version is raised:
 *   node scripts/extract-protobuf-shapes.ts
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FieldShape, MessageShape, ShapeFile } from '../src/apiserver/protobuf/shapes.ts';

const version = 'v0.34.4';

/** Message names begin with the first part; the folder is below the Go module cache's k8s.io. */
const packages: Record<string, string> = {
  'runtime.': `apimachinery@${version}/pkg/runtime`,
  'util.intstr.': `apimachinery@${version}/pkg/util/intstr`,
  'api.resource.': `apimachinery@${version}/pkg/api/resource`,
  'meta.v1.': `apimachinery@${version}/pkg/apis/meta/v1`,
  'apiextensions.v1.': `apiextensions-apiserver@${version}/pkg/apis/apiextensions/v1`,
};
const groups =
  'admissionregistration authentication authorization autoscaling batch coordination core events policy rbac';
for (const group of groups.split(' ')) packages[`${group}.v1.`] = `api@${version}/${group}/v1`;

/** What may stand in a request body, by apiVersion; `*` is every version, since all groups share it. */
const wanted: Record<string, string> = {
  v1: 'core.v1. Namespace ConfigMap Secret ServiceAccount Node Pod Event Binding',
  'events.k8s.io/v1': 'events.v1. Event',
  'batch/v1': 'batch.v1. Job',
  'policy/v1': 'policy.v1. PodDisruptionBudget Eviction',
  'coordination.k8s.io/v1': 'coordination.v1. Lease',
  'rbac.authorization.k8s.io/v1': 'rbac.v1. Role RoleBinding ClusterRole ClusterRoleBinding',
  'admissionregistration.k8s.io/v1':
    'admissionregistration.v1. ValidatingWebhookConfiguration MutatingWebhookConfiguration',
  'apiextensions.k8s.io/v1': 'apiextensions.v1. CustomResourceDefinition',
  'authentication.k8s.io/v1': 'authentication.v1. TokenReview TokenRequest SelfSubjectReview',
  'authorization.k8s.io/v1':
    'authorization.v1. SubjectAccessReview LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview',
  'autoscaling/v1': 'autoscaling.v1. Scale',
  '*': 'meta.v1. DeleteOptions',
};

/** What a Go struct field says of itself: its JSON name and options, by protobuf field number. */
interface GoField {
  readonly goName: string;
  readonly json: string;
  readonly options: readonly string[];
  readonly isPointer: boolean;
}

const scalars = new Set(['string', 'bytes', 'bool', 'int32', 'int64', 'double']);
// Their own code reads these, whatever their Go fields say.
const selfWritten = new Set(['api.resource.Quantity', 'meta.v1.Time', 'meta.v1.MicroTime']);

const modules = join(execFileSync('go', ['env', 'GOMODCACHE'], { encoding: 'utf8' }).trim(), 'k8s.io');
const protoFields = new Map<string, [number, FieldShape][]>();
const goFields = new Map<string, Map<number, GoField>>();
for (const [prefix, folder] of Object.entries(packages)) readPackage(prefix, join(modules, folder));

const kinds: Record<string, string> = {};
const messages: Record<string, MessageShape> = {};
for (const [apiVersion, list] of Object.entries(wanted)) {
  const [prefix = '', ...names] = list.split(' ');
  for (const name of names) {
    kinds[`${apiVersion} ${name}`] = `${prefix}${name}`;
    collect(`${prefix}${name}`);
  }
}
writeShapes({ kubernetes: version, kinds, messages });

function readPackage(prefix: string, folder: string): void {
  readProto(prefix, readFileSync(join(folder, 'generated.proto'), 'utf8'));
  for (const file of readdirSync(folder)) {
    const isSource = file.endsWith('.go') && !/_test\.go$|^zz_generated|\.pb\.go$/.test(file);
    if (isSource) readStructs(prefix, readFileSync(join(folder, file), 'utf8'));
  }
}

function readProto(prefix: string, text: string): void {
  for (const [, name = '', body = ''] of text.matchAll(/^message (\w+) \{\n(.*?)^\}/gms)) {
    const fields: [number, FieldShape][] = [];
    for (const line of body.split('\n').map((each) => each.trim())) {
      if (line === '' || line.startsWith('//')) continue;
      const match = /^(?:(optional|repeated) (\S+)|map<string, (\S+)>) (\w+) = (\d+);$/.exec(line);
      if (match === null) throw new Error(`${prefix}${name}: cannot read ${line}`);
      const [, label, plain, mapped, field = '', number] = match;
      const type = messageName(prefix, plain ?? mapped ?? '');
      const many = mapped !== undefined ? { is: 'map' as const } : label === 'repeated' ? { is: 'list' as const } : {};
      fields.push([Number(number), { name: field, type, ...many }]);
    }
    protoFields.set(`${prefix}${name}`, fields);
  }
}

/** `.k8s.io.api.core.v1.Pod` is `core.v1.Pod` here; names without a package are of the same one. */
function messageName(prefix: string, type: string): string {
  if (scalars.has(type)) return type;
  if (!type.startsWith('.')) return `${prefix}${type}`;
  return type.replace(/^\.k8s\.io\.(api|apimachinery\.pkg\.apis|apimachinery\.pkg)\./, '');
}

function readStructs(prefix: string, text: string): void {
  for (const [, name = '', body = ''] of text.matchAll(/^type (\w+) struct \{\n(.*?)^\}/gms)) {
    const fields = new Map<number, GoField>();
    for (const [, named, type = '', tags = ''] of body.matchAll(/^\t(?:(\w+)[ \t]+)?([^\s`/]+)[ \t]+`([^`]*)`/gm)) {
      const number = /protobuf:"\w+,(\d+)/.exec(tags)?.[1];
      const [json = '', ...options] = (/json:"([^"]*)"/.exec(tags)?.[1] ?? '').split(',');
      const goName = named ?? type.replace(/^.*\./, '');
      if (number !== undefined) fields.set(Number(number), { goName, json, options, isPointer: type.startsWith('*') });
    }
    if (fields.size > 0) goFields.set(`${prefix}${name}`, fields);
  }
}

function collect(name: string): void {
  if (messages[name] !== undefined) return;
  const fields = protoFields.get(name);
  if (fields === undefined) throw new Error(`no message ${name}`);
  const shape: Record<number, FieldShape> = {};
  messages[name] = shape;
  for (const [number, field] of fields) {
    shape[number] = selfWritten.has(name) ? field : withGoFacts(field, goFields.get(name)?.get(number));
    if (!scalars.has(field.type)) collect(field.type);
  }
}

/** Fields without a JSON name of their own are read by code, for the types that are written in a way of their own. */
function withGoFacts(field: FieldShape, go: GoField | undefined): FieldShape {
  if (go === undefined) return field;
  const isInline = go.json === '' && go.options.includes('inline');
  const name = go.json === '' || go.json === '-' ? field.name : go.json;
  const is = isInline ? 'inline' : field.is;
  // Go's omitempty leaves no struct out, and a pointer only when it is nil.
  const omission = scalars.has(field.type) ? /^omit(empty|zero)$/ : /^omitzero$/;
  const omitsZero = field.is === undefined && !go.isPointer && go.options.some((option) => omission.test(option));
  return {
    name,
    type: field.type,
    ...(is === undefined ? {} : { is }),
    ...(omitsZero ? { omitsZero } : {}),
    ...(go.goName === name.charAt(0).toUpperCase() + name.slice(1) ? {} : { goName: go.goName }),
  };
}

/** One line for each message, so that a new version can be read as a diff. */
function writeShapes(file: ShapeFile): void {
  const sorted = Object.entries(file.messages).sort(([a], [b]) => (a < b ? -1 : 1));
  const lines = sorted.map(([name, shape]) => `  ${JSON.stringify(name)}: ${JSON.stringify(shape)}`);
  const text = `{
 "kubernetes": ${JSON.stringify(file.kubernetes)},
 "kinds": ${JSON.stringify(file.kinds, null, 2).replace(/\n\}$/, '\n }')},
 "messages": {\n${lines.join(',\n')}\n }\n}\n`;
  writeFileSync(new URL('../src/apiserver/protobuf/shapes.gen.json', import.meta.url), text);
}
