import { biosList, inventoryOf } from './fake-bmc.ts';
import { reportOf } from './fake-discovery.ts';
import { canLogIn } from './fake-node.ts';
import { type FakeStore, type Handler, Refusal } from './fake-store.ts';

/** What is only read. */
export function readRoutes(store: FakeStore): Record<string, Handler> {
  return {
    'GET /v1': () => ({ status: 200, value: { id: 'v1' } }),
    'GET /v1/nodes/*/validate': ({ ident }) => {
      const { deploy_interface, instance_info } = store.find(ident);
      const isLive = deploy_interface === 'ramdisk';
      const has = (name: string) => instance_info[name] !== undefined;
      const isValid = isLive
        ? has('boot_iso')
        : deploy_interface === 'custom-agent' ||
          (has('image_source') && (has('image_checksum') || has('image_os_hash_value')));
      return { status: 200, value: { boot: { result: true }, deploy: { result: isValid, reason: 'no usable image' } } };
    },
    'GET /v1/nodes/*/management/boot_device': ({ ident }) => {
      const node = store.find(ident);
      if (!canLogIn(node, store.bmcOf(node))) {
        throw new Refusal(500, 'Redfish exception occurred. Error: HTTP GET returned code 401. unauthorized');
      }
      return { status: 200, value: { boot_device: 'disk', persistent: true } };
    },
    'GET /v1/nodes/*/inventory': ({ ident }) => {
      const node = store.find(ident);
      const machine = store.machines.get(node.uuid);
      if (machine !== undefined) return { status: 200, value: reportOf(machine) };
      const bmc = store.bmcOf(node);
      if (bmc === undefined || !store.inspected.has(node.uuid))
        throw new Refusal(404, 'Node inventory record could not be found.');
      return { status: 200, value: inventoryOf(bmc) };
    },
    'GET /v1/nodes/*/history': ({ ident }) => ({
      status: 200,
      value: { history: store.history.get(store.find(ident).uuid) ?? [] },
    }),
    'GET /v1/nodes/*/bios': ({ ident }) => {
      const bmc = store.bmcOf(store.find(ident));
      return { status: 200, value: { bios: bmc === undefined ? [] : biosList(bmc) } };
    },
    'GET /v1/nodes/*/vmedia': ({ ident }) => {
      const node = store.find(ident);
      const isFull = store.bmcOf(node)?.media !== undefined;
      const drive = { media_types: ['CD', 'DVD'], inserted: isFull, image: isFull ? `cdrom-${node.uuid}.iso` : '' };
      return { status: 200, value: [{ media_types: ['USBStick'], inserted: false, image: '' }, drive] };
    },
    'GET /v1/nodes/*/firmware': ({ ident }) => {
      const components = [...(store.bmcOf(store.find(ident))?.firmware ?? [])].map(([component, version]) => ({
        component,
        initial_version: version,
        current_version: version,
        last_version_flashed: null,
        updated_at: null,
      }));
      return { status: 200, value: { firmware: components } };
    },
  };
}
