import { type JsonObject, objectOf } from '../client/index.ts';
import { isUnderWay } from '../node/index.ts';
import { advance, createFakeNode, defaultInterfaces, type FakeNode, shownNode } from './fake-node.ts';
import { type FakeStore, type Handler, Refusal } from './fake-store.ts';

/** Nodes and their ports. */
export function nodeRoutes(store: FakeStore): Record<string, Handler> {
  return {
    'GET /v1/nodes': ({ query }) => {
      const fields = listedFields(query);
      const { nodes, ...more } = store.page('nodes', [...store.nodes.values()], query);
      const shown = (nodes as FakeNode[]).map((node) => pick(shownNode(node), fields));
      return { status: 200, value: { nodes: shown, ...more } };
    },
    'POST /v1/nodes': ({ body }) => {
      store.checkName(body.name);
      const node = createFakeNode(store.newId(), body);
      store.nodes.set(node.uuid, node);
      return { status: 201, value: shownNode(node) };
    },
    'GET /v1/nodes/*': ({ ident }) => {
      const node = store.find(ident);
      const value = shownNode(node);
      advance(node, store.workOf(node), store.bmcOf(node));
      return { status: 200, value };
    },
    'PATCH /v1/nodes/*': ({ ident, raw, query }) => {
      const node = store.find(ident);
      store.checkLock(node);
      const mayChange = ['failed', 'verifying', 'error'].some((each) => node.provision_state.endsWith(each));
      if (isUnderWay(node.provision_state) && !mayChange) {
        throw new Refusal(409, `Node ${node.uuid} can not be updated while a state transition is in progress.`);
      }
      const steps = Array.isArray(raw) ? raw.map(objectOf) : [];
      checkInterfaces(node, steps);
      const driver = steps.find(({ path }) => path === '/driver')?.value;
      if (driver !== undefined && !store.drivers.has(String(driver))) {
        throw new Refusal(400, `No valid host was found. Reason: no conductor supports driver ${String(driver)}.`);
      }
      if (driver !== undefined && query.get('reset_interfaces') === 'True') {
        Object.assign(node, defaultInterfaces(String(driver)));
      }
      for (const step of steps) {
        const [name = '', member] = String(step.path).slice(1).split('/');
        if (name === 'name') store.checkName(step.value, node.uuid);
        const holder = (member === undefined ? node : objectOf(node[name])) as Record<string, unknown>;
        const key = member ?? name;
        if (step.op === 'remove' && !(key in holder)) throw new Refusal(400, `${String(step.path)} is not there`);
        if (step.op === 'remove') delete holder[key];
        else holder[key] = step.value;
      }
      return { status: 200, value: { ...shownNode(node), reservation: 'localhost' } };
    },
    'DELETE /v1/nodes/*': ({ ident }) => {
      const node = store.find(ident);
      if (!node.maintenance && !['enroll', 'manageable', 'available', 'adopt failed'].includes(node.provision_state)) {
        throw new Refusal(409, `Can not delete node "${node.uuid}" while it is in provision state`);
      }
      if (!node.maintenance && node.instance_uuid !== null) throw new Refusal(409, 'it is associated with an instance');
      store.checkLock(node);
      store.nodes.delete(node.uuid);
      for (let at = store.ports.length - 1; at >= 0; at--)
        if (store.ports[at]?.node_uuid === node.uuid) store.ports.splice(at, 1);
      return { status: 204 };
    },
    'GET /v1/ports': ({ query }) => {
      const wanted = query.get('address');
      const ports = store.ports.filter(({ address }) => wanted === null || address === wanted);
      return { status: 200, value: store.page('ports', ports, query) };
    },
    'POST /v1/ports': ({ body }) => {
      const address = String(body.address);
      if (store.ports.some((each) => each.address === address)) {
        throw new Refusal(409, `A port with MAC address ${address} already exists.`);
      }
      const port = { uuid: store.newId(), node_uuid: String(body.node_uuid), address };
      store.ports.push(port);
      return { status: 201, value: port };
    },
  };
}

/** Lists are read from the columns of a table: one that is not there is an error of the server. */
function listedFields(query: URLSearchParams): readonly string[] | undefined {
  const fields = query.get('fields')?.split(',');
  const columns = createFakeNode('', {});
  const unknown = fields?.find((each) => !(each in columns));
  if (unknown !== undefined) throw new Refusal(500, `type object 'Node' has no attribute '${unknown}'`);
  return fields;
}

function pick(shown: JsonObject, fields: readonly string[] | undefined): JsonObject {
  return fields === undefined ? shown : Object.fromEntries(fields.map((each) => [each, shown[each] ?? null]));
}

/** Interfaces are only changed while nothing is deployed, or in maintenance. */
function checkInterfaces(node: FakeNode, steps: readonly JsonObject[]): void {
  if (node.maintenance || ['enroll', 'manageable', 'available'].includes(node.provision_state)) return;
  const name = steps
    .map(({ path, value }) => ({ name: String(path).slice(1), value }))
    .find((each) => each.name.endsWith('_interface') && node[each.name] !== each.value)?.name;
  if (name !== undefined) throw new Refusal(409, `Node ${node.uuid} can not have ${name} updated`);
}
