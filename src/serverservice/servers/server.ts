import type { Attribute, VersionedAttribute } from '../attributes/attribute.ts';
import type { AttributeFilter } from '../attributes/attribute-filter.ts';
import type { AttributeDraft } from '../attributes/attributes.ts';
import type { ComponentRecord } from '../components/component.ts';

/** A server of the inventory. Texts that are not known are empty. */
export interface ServerRecord {
  /** Also the id of its machine. */
  readonly id: string;
  readonly name: string;
  readonly facility: string;
  readonly vendor: string;
  readonly model: string;
  readonly serial: string;
  /** Servers with the same one share a BMC. */
  readonly bmcId: string;
  readonly bmcAddress: string;
  readonly macs: readonly string[];
  /** The UUID of its system, as its BMC tells it. */
  readonly systemUuid: string;
  /** The UUID of the service root of its BMC. */
  readonly bmcUuid: string;
  /** Why it is no machine, if it is none. */
  readonly machineProblem: string | undefined;
  /** What an operator wrote and the BMC tells otherwise. */
  readonly contradictions: readonly string[];
  /** Other records of the same machine, by what their BMCs say of themselves. */
  readonly duplicates: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly deletedAt: number | undefined;
}

/** A server with what is known of it. */
export interface ServerDetails extends ServerRecord {
  readonly attributes: readonly Attribute[];
  readonly versionedAttributes: readonly VersionedAttribute[];
  readonly components: readonly ComponentRecord[];
}

/** What can be said of a server. */
export interface ServerFields {
  readonly name: string;
  readonly facility: string;
  readonly vendor: string;
  readonly model: string;
  readonly serial: string;
  readonly bmcId: string;
  readonly bmcAddress: string;
  readonly macs: readonly string[];
  readonly systemUuid: string;
  readonly bmcUuid: string;
}

/** A server to be created. */
export interface ServerDraft extends Partial<ServerFields> {
  /** The Redfish System UUID; one is made up unless given. */
  readonly id?: string;
  readonly facility: string;
  readonly attributes?: readonly AttributeDraft[];
  readonly versionedAttributes?: readonly AttributeDraft[];
}

/** Which servers to list. */
export interface ServerQuery {
  readonly facility?: string | undefined;
  readonly name?: string | undefined;
  readonly vendor?: string | undefined;
  readonly model?: string | undefined;
  readonly serial?: string | undefined;
  /** Any spelling of the address; without a system, all behind that BMC. */
  readonly bmcAddress?: string | undefined;
  /** Only those that are no machine of their own: another server is, or their address cannot be read. */
  readonly isWithProblem?: boolean | undefined;
  readonly isWithDeleted?: boolean | undefined;
  readonly attributeFilters?: readonly AttributeFilter[] | undefined;
  readonly versionedAttributeFilters?: readonly AttributeFilter[] | undefined;
}
