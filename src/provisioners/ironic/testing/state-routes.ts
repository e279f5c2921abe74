import { objectOf } from '../client/index.ts';
import { enterState, type FakeNode, planWork } from './fake-node.ts';
import { type Answer, type FakeStore, type Handler, Refusal } from './fake-store.ts';
import { transitions } from './transitions.ts';

/** What changes the state of nodes. */
export function stateRoutes(store: FakeStore): Record<string, Handler> {
  return {
    'PUT /v1/nodes/*/states/provision': ({ ident, body }) => {
      const node = store.find(ident);
      const target = String(body.target);
      const next = objectOf(transitions[node.provision_state])[target];
      if (next === undefined) {
        throw new Refusal(
          400,
          `The requested action "${target}" can not be performed on node "${node.uuid}" while it is in state "${node.provision_state}".`,
        );
      }
      if (node.maintenance && ['active', 'clean', 'service', 'provide', 'adopt'].includes(target)) {
        throw new Refusal(400, `The ${target} operation can't be performed on node because it's in maintenance mode.`);
      }
      store.checkLock(node);
      enterState(node, next as FakeNode['provision_state']);
      node.last_error = null;
      const key = `${node.name}/${target}`;
      const failure = store.failures.get(key);
      store.failures.delete(key);
      const plan = planWork({
        node,
        bmc: store.bmcOf(node),
        machine: store.machines.get(node.uuid),
        body,
        failure,
        inspected: () => store.inspected.add(node.uuid),
      });
      node.target_provision_state = plan.states.at(-1) ?? null;
      store.works.set(node.uuid, { ...plan, power: undefined });
      return { status: 202 };
    },
    'PUT /v1/nodes/*/states/power': ({ ident, body }) => {
      const node = store.find(ident);
      store.checkLock(node);
      const target = String(body.target);
      node.target_power_state = target.endsWith('off') ? 'power off' : 'power on';
      node.last_error = null;
      store.works.set(node.uuid, { ...store.workOf(node), power: { target } });
      return { status: 202 };
    },
    'POST /v1/nodes/*/vmedia': ({ ident, body }) => changeDrive(store, ident, { url: String(body.image_url) }),
    'DELETE /v1/nodes/*/vmedia': ({ ident }) => changeDrive(store, ident, { url: undefined }),
    'PUT /v1/nodes/*/states/raid': () => ({ status: 204 }),
    'PUT /v1/nodes/*/maintenance': ({ ident, body }) => {
      Object.assign(store.find(ident), { maintenance: true, maintenance_reason: body.reason ?? null });
      return { status: 202 };
    },
    'DELETE /v1/nodes/*/maintenance': ({ ident }) => {
      Object.assign(store.find(ident), { maintenance: false, maintenance_reason: null, fault: null });
      return { status: 202 };
    },
  };
}

/** As with Ironic, what came of it is only seen later, and the image is served under a name of its own. */
function changeDrive(store: FakeStore, ident: string, { url }: { readonly url: string | undefined }): Answer {
  const node = store.find(ident);
  store.checkLock(node);
  const bmc = store.bmcOf(node);
  node.last_error = null;
  if (bmc === undefined || bmc.hasBrokenDrive) {
    node.last_error = `Could not ${url === undefined ? 'detach' : 'attach'} device cdrom: no suitable virtual media`;
  } else {
    bmc.media = url;
  }
  return { status: 204 };
}
