import type { Json, JsonObject } from '../../../src/schema/index.ts';
import type { ApiAnswer } from '../api-client.ts';
import { valueAt } from '../api-client.ts';
import { topic } from '../case.ts';
import type { CaseRun } from '../case-run.ts';
import { widgetCrd } from '../fixtures.ts';

function reversed(t: CaseRun): string {
  return t.group.split('.').reverse().join('.');
}

function schemaOf(answer: ApiAnswer, name: string): Json {
  return ((answer.at('components.schemas') ?? {}) as JsonObject)[name] ?? null;
}

/** OpenAPI, version 2 and 3: that it is there, and the part about custom resources. */
export const openapi = topic('openapi', {
  'v3-of-widgets': async (t) => {
    await t.crd(widgetCrd(t));
    const path = `/openapi/v3/apis/${t.group}/v1`;
    await t.until(path, (answer) => schemaOf(answer, `${reversed(t)}.v1.Widget`) !== null, {
      show: (answer) => [
        answer.at('openapi') ?? null,
        schemaOf(answer, `${reversed(t)}.v1.Widget`),
        schemaOf(answer, `${reversed(t)}.v1.WidgetList`),
      ],
    });
    await t.get(path, { show: (answer) => Object.keys((answer.at('paths') ?? {}) as JsonObject).sort() });
    await t.get(path, {
      show: (answer) => {
        const paths = (answer.at('paths') ?? {}) as JsonObject;
        const one = paths[`/apis/${t.group}/v1/namespaces/{namespace}/widgets/{name}`];
        const kind = (verb: string) => [
          verb,
          valueAt(one, `${verb}.operationId`) ?? null,
          valueAt(one, `${verb}.x-kubernetes-group-version-kind`) ?? null,
          valueAt(one, `${verb}.x-kubernetes-action`) ?? null,
        ];
        return ['get', 'put', 'patch', 'delete'].map(kind);
      },
    });
  },
  'v3-index': async (t) => {
    await t.crd(widgetCrd(t));
    const key = `apis/${t.group}/v1`;
    await t.until('/openapi/v3', (answer) => ((answer.at('paths') ?? {}) as JsonObject)[key] !== undefined, {
      show: (answer) => {
        const paths = (answer.at('paths') ?? {}) as JsonObject;
        const wanted = [
          key,
          'api/v1',
          'apis/batch/v1',
          'apis/rbac.authorization.k8s.io/v1',
          'apis/apiextensions.k8s.io/v1',
        ];
        return wanted.map((each) =>
          String(valueAt(paths[each], 'serverRelativeURL')).replace(/hash=\w+/, 'hash=<hash>'),
        );
      },
    });
    await t.get('/openapi/v3/apis/nowhere.example.com/v1');
  },
  'v3-of-built-ins': async (t) => {
    const schemas = [
      'io.k8s.api.core.v1.ConfigMap',
      'io.k8s.api.core.v1.Secret',
      'io.k8s.api.core.v1.Namespace',
      'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta',
    ];
    await t.get('/openapi/v3/api/v1', {
      show: (answer) =>
        schemas.map((name) => {
          const schema = schemaOf(answer, name);
          return [
            name,
            Object.keys((valueAt(schema, 'properties') ?? {}) as JsonObject).sort(),
            valueAt(schema, 'x-kubernetes-group-version-kind') ?? null,
          ];
        }),
    });
  },
  v2: async (t) => {
    await t.crd(widgetCrd(t));
    const name = `${reversed(t)}.v1.Widget`;
    const definition = (answer: ApiAnswer) => ((answer.at('definitions') ?? {}) as JsonObject)[name];
    await t.until('/openapi/v2', (answer) => definition(answer) !== undefined, {
      show: (answer) => [answer.at('swagger') ?? null, definition(answer) ?? null],
    });
  },
});
