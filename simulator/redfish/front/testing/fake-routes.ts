import type { RedfishRequest, Route } from '../../route.ts';

const root = '/redfish/v1';

/** A small tree with one of everything the front treats specially; what was posted is kept for the test to look at. */
export function createFakeRoutes(): { routes: readonly Route[]; posted: RedfishRequest[]; label: { text: string } } {
  const posted: RedfishRequest[] = [];
  const label = { text: 'first' };
  const keep = (request: RedfishRequest) => {
    posted.push(request);
    return { status: 202, headers: { Location: `${root}/TaskService/Tasks/1` }, body: { Id: '1' } };
  };
  const routes: Route[] = [
    {
      pattern: root,
      isPublic: true,
      get: () => ({ status: 200, body: { '@odata.id': `${root}/`, Systems: { '@odata.id': `${root}/Systems` } } }),
    },
    {
      pattern: `${root}/SessionService/Sessions`,
      arePostsPublic: true,
      get: () => ({ status: 200, body: { '@odata.id': `${root}/SessionService/Sessions`, Members: [] } }),
      post: ({ machine }) => {
        const session = machine.sessions.open('root');
        if (session === 'exhausted') return { status: 503 };
        return { status: 201, headers: { 'X-Auth-Token': session.token }, body: { Id: session.id } };
      },
    },
    {
      pattern: `${root}/Systems`,
      get: () => ({
        status: 200,
        body: {
          '@odata.id': `${root}/Systems`,
          Members: ['a', 'b', 'c', 'd', 'e'].map((id) => ({ '@odata.id': `${root}/Systems/${id}` })),
          'Members@odata.count': 5,
        },
      }),
    },
    {
      pattern: `${root}/Systems/:system`,
      get: ({ params }) => ({
        status: 200,
        body: {
          '@odata.id': `${root}/Systems/${params.system}`,
          Id: params.system,
          Label: label.text,
          DateTime: new Date().toISOString(),
          Links: { Chassis: [{ '@odata.id': `${root}/Systems` }] },
        },
      }),
      patch: ({ body, params }) => {
        label.text = String(body.Label);
        return { status: 200, body: { '@odata.id': `${root}/Systems/${params.system}`, Label: label.text } };
      },
      delete: () => ({ status: 204 }),
    },
    { pattern: `${root}/Systems/:system/Actions/ComputerSystem.Reset`, post: keep },
    {
      pattern: `${root}/Registries/Bios`,
      get: () => ({
        status: 200,
        body: {
          '@odata.id': `${root}/Registries/Bios`,
          '@odata.type': '#AttributeRegistry.v1_3_0.AttributeRegistry',
          Text: 'x'.repeat(4000),
        },
      }),
    },
    {
      pattern: `${root}/$metadata`,
      isPublic: true,
      get: () => ({ status: 200, text: '<x/>', headers: { 'Content-Type': 'application/xml' } }),
    },
    { pattern: `${root}/UpdateService/upload`, takesUpload: true, post: keep },
    {
      pattern: `${root}/Broken`,
      get: () => {
        throw new Error('a bug');
      },
    },
  ];
  return { routes, posted, label };
}
