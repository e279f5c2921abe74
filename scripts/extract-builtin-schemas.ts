/**
 * Reads the shapes of the built-in kinds from a running kube-apiserver's OpenAPI documents and writes them, without
 * their prose, to src/apiserver/builtins/schemas.gen.json. Needed only when the Kubernetes version is raised:
 *   node scripts/extract-builtin-schemas.ts
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { startRealKube } from '../test/real/kube/real-kube.ts';

const wanted: Record<string, string[]> = {
  'api/v1': ['Namespace', 'Secret', 'ConfigMap', 'Event', 'ServiceAccount', 'Node', 'Pod'],
  'apis/events.k8s.io/v1': ['Event'],
  'apis/batch/v1': ['Job'],
  'apis/policy/v1': ['PodDisruptionBudget'],
  'apis/coordination.k8s.io/v1': ['Lease'],
  'apis/admissionregistration.k8s.io/v1': ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'],
  'apis/rbac.authorization.k8s.io/v1': ['Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding'],
  'apis/apiextensions.k8s.io/v1': ['CustomResourceDefinition'],
};

type Node = { [key: string]: unknown };

const dataDir = mkdtempSync(join(tmpdir(), 'schemas-'));
const kube = await startRealKube({ dataDir, port: 21800, withoutControllers: true });
const dispatcher = new Agent({ connect: { ca: kube.caPem } });
try {
  const kinds: Record<string, string> = {};
  const definitions: Record<string, Node> = {};
  for (const [path, names] of Object.entries(wanted)) {
    const headers = { authorization: `Bearer ${kube.adminToken}` };
    const answer = await request(`${kube.server}/openapi/v3/${path}`, { dispatcher, headers });
    const document = (await answer.body.json()) as { components: { schemas: Record<string, Node> } };
    const { schemas } = document.components;
    for (const kind of names) {
      const name = Object.keys(schemas).find((n) => isKind(schemas[n], path, kind));
      if (name === undefined) throw new Error(`${path} has no kind ${kind}`);
      kinds[`${path} ${kind}`] = name;
      collect(name, schemas, definitions);
    }
  }
  const sorted = Object.fromEntries(Object.entries(definitions).sort(([a], [b]) => (a < b ? -1 : 1)));
  const target = new URL('../src/apiserver/builtins/schemas.gen.json', import.meta.url);
  writeFileSync(target, `${JSON.stringify({ kubernetes: kube.version, kinds, definitions: sorted }, null, 1)}\n`);
} finally {
  await dispatcher.close();
  await kube.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

function isKind(schema: Node | undefined, path: string, kind: string): boolean {
  const [, group = '', version = ''] = path.startsWith('apis/') ? path.split('/') : ['', '', path.split('/')[1] ?? ''];
  const names = schema?.['x-kubernetes-group-version-kind'] as
    | { group: string; version: string; kind: string }[]
    | undefined;
  return (
    names?.some((n) => n.group === group && n.version === version && n.kind === kind && names.length === 1) ?? false
  );
}

/** Copies a definition and all it refers to, leaving prose out. */
function collect(name: string, schemas: Record<string, Node>, into: Record<string, Node>): void {
  if (into[name] !== undefined) return;
  into[name] = {};
  into[name] = strip(schemas[name] as Node, (ref) => collect(ref, schemas, into)) as Node;
}

function strip(value: unknown, onRef: (name: string) => void): unknown {
  if (Array.isArray(value)) return value.map((v) => strip(v, onRef));
  if (typeof value !== 'object' || value === null) return value;
  const result: Node = {};
  for (const [key, child] of Object.entries(value)) {
    if (key === 'description' && typeof child === 'string') continue;
    if (key === 'x-kubernetes-group-version-kind' || key === 'x-kubernetes-unions') continue;
    if (key === '$ref' && typeof child === 'string') {
      const name = child.replace('#/components/schemas/', '');
      onRef(name);
      result.$ref = name;
    } else {
      result[key] = strip(child, onRef);
    }
  }
  return result;
}
