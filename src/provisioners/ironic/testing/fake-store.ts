import { type JsonObject, objectOf } from '../client/index.ts';
import type { FakeBmc } from './fake-bmc.ts';
import type { FakeNode, FakeWork } from './fake-node.ts';

/** An answer that says no. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** An answer that says yes. */
export interface Answer {
  readonly status: number;
  readonly value?: unknown;
}

/** Answers one kind of request. */
export type Handler = (found: {
  readonly ident: string;
  readonly query: URLSearchParams;
  readonly body: JsonObject;
  readonly raw: unknown;
}) => Answer;

/** A port of a node. */
export interface FakePort {
  readonly uuid: string;
  readonly node_uuid: string;
  readonly address: string;
  readonly pxe_enabled?: boolean;
}

/** All that a fake Ironic knows. */
export class FakeStore {
  readonly nodes = new Map<string, FakeNode>();
  readonly ports: FakePort[] = [];
  /** Events of nodes, by uuid. */
  readonly history = new Map<string, readonly JsonObject[]>();
  readonly works = new Map<string, FakeWork>();
  readonly inspected = new Set<string>();
  readonly failures = new Map<string, string>();
  readonly locks = new Map<string, number>();
  /** The machines that came by themselves, by the uuid of the node that was made for each. */
  readonly machines = new Map<string, FakeBmc>();
  /** Drivers that are enabled. */
  readonly drivers = new Set(['redfish', 'idrac', 'ipmi', 'fake-hardware', 'manual-management']);
  /** The most that one page of a list has. */
  pageLimit = 1000;
  readonly bmcs: readonly FakeBmc[];
  readonly newId: () => string;

  constructor(bmcs: readonly FakeBmc[], newId: () => string) {
    this.bmcs = bmcs;
    this.newId = newId;
  }

  /** The node that an id or a name means. */
  find(ident: string): FakeNode {
    const node = this.nodes.get(ident) ?? [...this.nodes.values()].find(({ name }) => name === ident);
    if (node === undefined) throw new Refusal(404, `Node ${ident} could not be found.`);
    return node;
  }

  /** What the node is at. */
  workOf(node: FakeNode): FakeWork {
    return this.works.get(node.uuid) ?? { states: [], atEnd: () => {}, power: undefined };
  }

  /** The BMC that the node names. */
  bmcOf({ driver_info }: FakeNode): FakeBmc | undefined {
    const { redfish_address, redfish_system_id } = objectOf(driver_info);
    return this.bmcs.find((each) => each.redfishAddress === redfish_address && each.systemPath === redfish_system_id);
  }

  /** One page of a list, as the query asks for it. */
  page<T extends { readonly uuid: string }>(name: string, all: readonly T[], query: URLSearchParams): JsonObject {
    const from = all.findIndex(({ uuid }) => uuid === query.get('marker')) + 1;
    const limit = Math.min(Number(query.get('limit') ?? this.pageLimit), this.pageLimit);
    const page = all.slice(from, from + limit);
    return { [name]: page, ...(page.length === limit ? { next: `?marker=${page.at(-1)?.uuid}` } : {}) };
  }

  /** Refuses what would change a node that Ironic holds. */
  checkLock(node: FakeNode): void {
    const left = this.locks.get(node.uuid) ?? 0;
    const isLocked = left > 0 || /ing$/.test(node.provision_state);
    if (left > 0) this.locks.set(node.uuid, left - 1);
    if (isLocked) throw new Refusal(409, `Node ${node.uuid} is locked by host localhost, please retry`);
  }

  /** Refuses a name that another node has. */
  checkName(name: unknown, own?: string): void {
    const other = [...this.nodes.values()].find((each) => each.name === name && each.uuid !== own);
    if (name === null || other === undefined) return;
    throw new Refusal(409, `A node with name ${String(name)} already exists.`);
  }
}
