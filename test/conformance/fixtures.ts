import type { Json, JsonObject } from '../../src/schema/index.ts';
import type { CaseRun } from './case-run.ts';

/** The path of a core resource in the case's namespace. */
export function core(t: CaseRun, resource: string, name?: string): string {
  return `/api/v1/namespaces/${t.ns}/${resource}${name === undefined ? '' : `/${name}`}`;
}

/** The path of a grouped resource in the case's namespace. */
export function grouped(t: CaseRun, groupVersion: string, resource: string, name?: string): string {
  return `/apis/${groupVersion}/namespaces/${t.ns}/${resource}${name === undefined ? '' : `/${name}`}`;
}

/** The path of the case's own widgets. */
export function widgets(t: CaseRun, name?: string): string {
  return grouped(t, `${t.group}/v1`, 'widgets', name);
}

const ownDescriptions = ['A widget.', 'What the widget should be.', 'How large it is.', 'Where it is.'];

/** Whether a description was written by these fixtures. */
export function isOwnDescription(text: string): boolean {
  return ownDescriptions.includes(text);
}

/** A ConfigMap. */
export function configMap(name: string, data: Record<string, string> = {}, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data };
}

/** A Pod with one container. */
export function pod(name: string, metadata: JsonObject = {}, spec: JsonObject = {}): JsonObject {
  const containers = [{ name: 'main', image: 'example.com/app:1' }];
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, ...metadata }, spec: { containers, ...spec } };
}

/** A widget of the case's own group. */
export function widget(t: CaseRun, name: string, spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: `${t.group}/v1`, kind: 'Widget', metadata: { name, ...metadata }, spec };
}

/** The schema of a widget's spec, with most of what a structural schema can say. */
export const widgetSpecSchema: JsonObject = {
  type: 'object',
  description: 'What the widget should be.',
  properties: {
    size: { type: 'integer', format: 'int32', minimum: 0, maximum: 100, default: 1, description: 'How large it is.' },
    color: { type: 'string', enum: ['red', 'green', 'blue'] },
    label: { type: 'string', pattern: '^[a-z]+$', maxLength: 8 },
    replicas: { type: 'integer', format: 'int32' },
    ratio: { type: 'number' },
    enabled: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set', maxItems: 5 },
    ports: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string' },
          number: { type: 'integer' },
          protocol: { type: 'string', default: 'TCP' },
        },
      },
    },
    template: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    limits: {
      type: 'object',
      additionalProperties: {
        anyOf: [{ type: 'integer' }, { type: 'string' }],
        'x-kubernetes-int-or-string': true,
      },
    },
    nested: {
      type: 'object',
      default: {},
      properties: { depth: { type: 'integer', default: 3 }, note: { type: 'string', nullable: true } },
    },
  },
};

const widgetStatusSchema: JsonObject = {
  type: 'object',
  properties: {
    phase: { type: 'string' },
    replicas: { type: 'integer', format: 'int32' },
    selector: { type: 'string' },
    conditions: {
      type: 'array',
      items: {
        type: 'object',
        properties: { type: { type: 'string' }, status: { type: 'string' }, reason: { type: 'string' } },
      },
    },
  },
};

/** One version of the widget CRD. */
export function widgetVersion(name: string, changes: JsonObject = {}, specSchema: Json = widgetSpecSchema): JsonObject {
  return {
    name,
    served: true,
    storage: true,
    schema: {
      openAPIV3Schema: {
        type: 'object',
        description: 'A widget.',
        properties: { spec: specSchema, status: widgetStatusSchema },
      },
    },
    subresources: {
      status: {},
      scale: {
        specReplicasPath: '.spec.replicas',
        statusReplicasPath: '.status.replicas',
        labelSelectorPath: '.status.selector',
      },
    },
    additionalPrinterColumns: [
      { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
      { name: 'Phase', type: 'string', jsonPath: '.status.phase', description: 'Where it is.' },
      { name: 'Color', type: 'string', jsonPath: '.spec.color', priority: 1 },
      { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    ],
    ...changes,
  };
}

/** The widget CRD in the case's own group. */
export function widgetCrd(
  t: CaseRun,
  versions: JsonObject[] = [widgetVersion('v1')],
  spec: JsonObject = {},
): JsonObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${t.group}` },
    spec: {
      group: t.group,
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList', shortNames: ['wd'] },
      versions,
      ...spec,
    },
  };
}

/** A widget CRD whose spec schema is changed or extended. */
export function widgetCrdWith(t: CaseRun, properties: JsonObject, specChanges: JsonObject = {}): JsonObject {
  const schema = {
    ...widgetSpecSchema,
    ...specChanges,
    properties: { ...(widgetSpecSchema.properties as JsonObject), ...properties },
  };
  return widgetCrd(t, [widgetVersion('v1', {}, schema)]);
}
