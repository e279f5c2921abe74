import type { Route } from '../route.ts';
import { accountRoutes } from './accounts.ts';
import { biosRoutes } from './bios.ts';
import { bootOptionRoutes } from './boot-options.ts';
import { chassisRoutes } from './chassis.ts';
import { computerSystemRoutes } from './computer-system.ts';
import { ethernetInterfaceRoutes } from './ethernet-interfaces.ts';
import { eventRoutes } from './events.ts';
import { logServiceRoutes } from './log-services.ts';
import { managerNetworkRoutes } from './manager-network.ts';
import { managerRoutes } from './managers.ts';
import { networkAdapterRoutes } from './network-adapters.ts';
import { processorRoutes } from './processors.ts';
import { registryRoutes } from './registries.ts';
import { secureBootRoutes } from './secure-boot.ts';
import { serviceRootRoutes } from './service-root.ts';
import { sessionRoutes } from './sessions.ts';
import { softwareInventoryRoutes } from './software-inventory.ts';
import { storageRoutes } from './storage.ts';
import { taskRoutes } from './tasks.ts';
import { updateRequestRoutes } from './update-requests.ts';
import { updateServiceRoutes } from './update-service.ts';
import { virtualMediaRoutes } from './virtual-media.ts';

export {
  confirm,
  type MessageOrder,
  makeMessage,
  refuse,
  refuseMethod,
  refuseMissing,
} from './errors.ts';
export { renderTask } from './tasks.ts';
export { beginUpdate } from './update-requests.ts';

/** The standard resources, which every personality has; a personality's own routes win over them. */
export const sharedRoutes: readonly Route[] = [
  ...serviceRootRoutes,
  ...registryRoutes,
  ...sessionRoutes,
  ...accountRoutes,
  ...computerSystemRoutes,
  ...biosRoutes,
  ...bootOptionRoutes,
  ...secureBootRoutes,
  ...processorRoutes,
  ...storageRoutes,
  ...ethernetInterfaceRoutes,
  ...chassisRoutes,
  ...networkAdapterRoutes,
  ...managerRoutes,
  ...managerNetworkRoutes,
  ...virtualMediaRoutes,
  ...logServiceRoutes,
  ...updateServiceRoutes,
  ...updateRequestRoutes,
  ...softwareInventoryRoutes,
  ...taskRoutes,
  ...eventRoutes,
];
