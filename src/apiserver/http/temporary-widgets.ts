import type { JsonObject } from '../../schema/index.ts';
import type { Crd } from '../crd/crd-object.ts';

/** For tests: where the widgets of the default namespace are, or one of them. */
export function widgetsAt(name?: string): string {
  return `/apis/example.com/v1/namespaces/default/widgets${name === undefined ? '' : `/${name}`}`;
}

/** For tests: a widget to create. */
export function widgetOf(name: string, spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name, ...metadata }, spec };
}

/** For tests: widgets with a free part, a status, a scale and a field to select by; the rest is closed unless told. */
export function widgetDefinition({ isFree = false } = {}): Crd {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList', shortNames: ['wd'] },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          selectableFields: [{ jsonPath: '.spec.color' }],
          subresources: {
            status: {},
            scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
          },
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: {
                  type: 'object',
                  ...(isFree ? { 'x-kubernetes-preserve-unknown-fields': true } : {}),
                  properties: {
                    size: { type: 'integer', minimum: 0 },
                    color: { type: 'string', enum: ['red', 'green', 'blue'] },
                    count: { type: 'integer' },
                    ratio: { type: 'number' },
                    body: { type: 'string' },
                    hash: { type: 'string' },
                    replicas: { type: 'integer' },
                    tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
                    words: { type: 'object', additionalProperties: { type: 'string' } },
                    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                  },
                },
                status: {
                  type: 'object',
                  properties: { phase: { type: 'string' }, replicas: { type: 'integer' }, count: { type: 'integer' } },
                },
              },
            },
          },
        },
      ],
    },
  };
}
