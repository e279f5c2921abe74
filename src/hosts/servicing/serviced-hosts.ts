import type { BareMetalHost } from '../../api/index.ts';
import { formatKey, type Informer, type KubeObject, keyOf } from '../../kube/index.ts';
import type { ServicedHost } from '../../provisioners/index.ts';
import { isBeingServiced } from '../objects.ts';

type Host = BareMetalHost & KubeObject;

/** Who is being serviced, from the moment in which a host was let in. */
export interface ServicedHosts {
  list(): readonly ServicedHost[];
  /** A host may begin: it counts until its round has stored what came of that, however long that takes. */
  letIn(host: ServicedHost): void;
  /** The round of a host has stored all that it decided, or the host is gone. */
  roundEnded(key: string): void;
}

/**
 * Counts the hosts that are being serviced as is stored of them, so that whoever leads next counts also those that whoever
 * led before had let in; and those that were let in and of which that is not stored yet, or not told by a watch.
 */
export function createServicedHosts(
  hosts: Pick<Informer<Host>, 'byIndex'>,
  newest: { get(key: string): Host | undefined },
): ServicedHosts {
  const beginning = new Map<string, ServicedHost>();
  const begun = new Map<string, ServicedHost>();
  const isServiced = (key: string): boolean => {
    const host = newest.get(key);
    return host !== undefined && isBeingServiced(host.status);
  };
  return {
    list() {
      const stored = new Map<string, ServicedHost>();
      for (const cached of hosts.byIndex('service', 'open')) {
        const key = formatKey(keyOf(cached));
        begun.delete(key);
        const host = newest.get(key);
        if (host !== undefined && isServiced(key)) stored.set(key, servicedOf(host));
      }
      for (const key of begun.keys()) if (!isServiced(key)) begun.delete(key);
      return [...new Map([...stored, ...begun, ...beginning]).values()];
    },
    letIn(host) {
      beginning.set(keyOfServiced(host), host);
    },
    roundEnded(key) {
      const host = beginning.get(key);
      beginning.delete(key);
      if (host !== undefined && isServiced(key)) begun.set(key, host);
    },
  };
}

function servicedOf({ metadata: { namespace = '', name = '' }, spec }: Host): ServicedHost {
  return { namespace, name, address: spec?.bmc?.address ?? '' };
}

function keyOfServiced({ namespace, name }: ServicedHost): string {
  return formatKey({ namespace, name });
}
