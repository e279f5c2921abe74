import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { Layout } from './layout/layout.tsx';
import { FleetPage } from './pages/fleet.tsx';
import { MissingPage } from './pages/missing.tsx';

const rootRoute = createRootRoute({ component: Layout, notFoundComponent: MissingPage });
const parentOf = () => rootRoute;

const fleetRoute = createRoute({ getParentRoute: parentOf, path: '/', component: FleetPage });
const hostRoute = createRoute({
  getParentRoute: parentOf,
  path: '/hosts/$namespace/$name',
  component: lazyRouteComponent(() => import('./pages/host.tsx'), 'HostPage'),
});
const conditionsRoute = createRoute({
  getParentRoute: parentOf,
  path: '/conditions',
  component: lazyRouteComponent(() => import('./pages/conditions.tsx'), 'ConditionsPage'),
});

const firmwareRoute = createRoute({
  getParentRoute: parentOf,
  path: '/firmware',
  component: lazyRouteComponent(() => import('./pages/firmware.tsx'), 'FirmwarePage'),
});
const groupRoute = createRoute({
  getParentRoute: parentOf,
  path: '/firmware/groups/$name',
  component: lazyRouteComponent(() => import('./pages/firmware-group.tsx'), 'FirmwareGroupPage'),
});
const newGroupRoute = createRoute({
  getParentRoute: parentOf,
  path: '/firmware/new-group',
  component: lazyRouteComponent(() => import('./pages/firmware-group.tsx'), 'NewFirmwareGroupPage'),
});
const networkRoute = createRoute({
  getParentRoute: parentOf,
  path: '/network',
  component: lazyRouteComponent(() => import('./pages/network.tsx'), 'NetworkPage'),
});
const portRoute = createRoute({
  getParentRoute: parentOf,
  path: '/network/$namespace/$name',
  component: lazyRouteComponent(() => import('./pages/port.tsx'), 'PortPage'),
});
const discoveryRoute = createRoute({
  getParentRoute: parentOf,
  path: '/discovery',
  component: lazyRouteComponent(() => import('./pages/discovery.tsx'), 'DiscoveryPage'),
});
const auditRoute = createRoute({
  getParentRoute: parentOf,
  path: '/audit',
  component: lazyRouteComponent(() => import('./pages/audit.tsx'), 'AuditPage'),
});

/** The pages and where they are. */
export function createConsoleRouter() {
  const routeTree = rootRoute.addChildren([
    fleetRoute,
    hostRoute,
    conditionsRoute,
    firmwareRoute,
    groupRoute,
    newGroupRoute,
    networkRoute,
    portRoute,
    discoveryRoute,
    auditRoute,
  ]);
  return createRouter({ routeTree, basepath: '/console', defaultPreload: 'intent' });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
