import { updateRpc } from '../../api/index.ts';
import type { CatalogSource } from '../../catalogs/index.ts';
import { createFirmwareReports } from '../../firmware/index.ts';
import { type KubeClient, systemClock } from '../../kube/index.ts';
import type { Authorizer, CallHandler } from '../../rest/index.ts';
import type { AuditExport, Logger, Metrics, Tracer } from '../../telemetry/index.ts';
import {
  createInventoryNames,
  createKubeFirmware,
  createKubeNames,
  createRpcHandler,
  type KubeMirror,
  startUpdateService,
  type UpdateService,
} from '../../update-service/index.ts';
import type { Closing } from '../install-service/closing.ts';
import type { OpenStore } from '../install-service/open-store.ts';
import type { WorkPlane } from '../install-service/work-plane.ts';
import type { OpenImageStore } from './image-store.ts';

/** What an update service is opened on. */
export interface UpdateParts {
  readonly plane: WorkPlane;
  readonly store: OpenStore;
  readonly authorizer: Authorizer;
  /** Of the Kubernetes API whose objects name servers and get results; without it the inventory names them. */
  readonly client: KubeClient | undefined;
  readonly strategy: { readonly name: string; readonly settings?: unknown };
  readonly sources: readonly CatalogSource[];
  /** Where discoveries keep images; what nobody needs any more is let go of. */
  readonly images: OpenImageStore | undefined;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Is told who asked for what. */
  readonly audit?: AuditExport | undefined;
  readonly tracer?: Tracer | undefined;
  readonly open: Closing;
}

/** An update service without a port of its own, and what answers its calls. */
export interface Updates {
  readonly service: UpdateService;
  readonly calls: CallHandler;
  /** From now on results are written by somebody who has caches, which saves reading. */
  writeThrough(mirror: KubeMirror): void;
}

/** Short: what is cut off goes on in the next life. */
const graceMs = 3000;

/** Opens an update service on the store of this process. It runs no jobs yet. */
export async function openUpdates(parts: UpdateParts): Promise<Updates> {
  const { plane, client, logger, metrics, authorizer, open, images } = parts;
  const objects = client === undefined ? undefined : createKubeFirmware(client);
  const shared = { clock: systemClock, random: Math.random };
  let mirror: KubeMirror | undefined = client === undefined ? undefined : createFirmwareReports({ client, ...shared });
  const through: KubeMirror = {
    server: async (report, signal) => mirror?.server(report, signal),
    discovery: async (report, signal) => mirror?.discovery(report, signal),
    wait: async (report, signal) => mirror?.wait(report, signal),
    newest: async (store, signal) => (await mirror?.newest(store, signal)) ?? 0,
  };
  const service = await startUpdateService({
    ...shared,
    ...{ logger, metrics, authorizer, tracer: parts.tracer },
    engine: plane.engine,
    database: parts.store.database,
    service: plane.service,
    names:
      client === undefined
        ? createInventoryNames(plane.service)
        : createKubeNames({ client, clock: systemClock, machines: plane.engine.machines }),
    strategy: parts.strategy,
    sources: parts.sources,
    ...(client === undefined ? {} : { mirror: through }),
    ...(images === undefined ? {} : { images: { store: images.store, objects } }),
  });
  open.add(() => service.stop({ graceMs }));
  const ending = new AbortController();
  open.add(() => ending.abort());
  return {
    service,
    calls: {
      below: `/${updateRpc.UpdateService.typeName}/`,
      handle: createRpcHandler({
        ...{ desks: service.desks, authorizer, logger, metrics },
        audit: parts.audit,
        tracer: parts.tracer,
        shutdownSignal: ending.signal,
      }),
    },
    writeThrough(next) {
      mirror = next;
    },
  };
}
