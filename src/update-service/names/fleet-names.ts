import { isInventoryError, type Serverservice } from '../../serverservice/index.ts';

/** What a DiscoveredFirmware object asks for. */
export interface DiscoveredFirmwareSpec {
  readonly manufacturer: string;
  readonly model: string;
  readonly versionsToStore: number;
  /** Other names that its servers go by in catalogues, such as Lenovo's machine types; none unless given. */
  readonly otherModels?: readonly string[] | undefined;
}

/** Knows what objects are called: requests name Servers, work goes by the ids of machines. */
export interface FleetNames {
  /** The id of the machine that a Server is; undefined where nobody has that name. */
  machineOf(serverName: string): Promise<string | undefined>;
  /**
   * The name of the Server that is this machine; undefined where there is none. A Server that came a moment ago may be
   * missed, unless `isListedAnew`.
   */
  serverOf(machineId: string, options?: { readonly isListedAnew?: boolean }): Promise<string | undefined>;
  /** Undefined where there is no such object, or none are known here. */
  discoveredFirmware(name: string): Promise<DiscoveredFirmwareSpec | undefined>;
}

const onePage = { limit: 2, page: 1, orderBy: undefined, isDescending: false };

/** Names as the inventory has them, where no Kubernetes API is beside. */
export function createInventoryNames(service: Pick<Serverservice, 'servers'>): FleetNames {
  return {
    async machineOf(name) {
      const { records } = await service.servers.list({ name }, onePage);
      // Two servers of one name are nobody: work on the wrong one would be worse than none.
      return records.length === 1 ? records[0]?.id : undefined;
    },
    async serverOf(id) {
      try {
        const { name } = await service.servers.get(id);
        return name === '' ? undefined : name;
      } catch (error) {
        if (isInventoryError(error, 'notFound')) return undefined;
        throw error;
      }
    },
    discoveredFirmware: async () => undefined,
  };
}
