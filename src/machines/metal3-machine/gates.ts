import type { Cluster } from '../../api/index.ts';
import type { Reason } from '../../kube/index.ts';
import { namespaceOf } from '../references.ts';
import type { Metal3MachineSeen } from './machine-seen.ts';

/** What comes before a machine may take a host; the first that is missing, or undefined when all of it is there. */
export function closedGate({ object, machine, cluster, metal3Cluster }: Metal3MachineSeen): Reason | undefined {
  const { dataTemplate, metaData, networkData } = object.spec;
  if (machine === undefined) {
    return { code: 'WaitingForMetal3MachineOwnerRef', message: 'Waiting for a Machine to own it.' };
  }
  if (cluster === undefined) {
    return { code: 'WaitingForCluster', message: `Waiting for the Cluster ${machine.spec.clusterName}.` };
  }
  if (metal3Cluster === undefined) {
    return { code: 'WaitingForMetal3Cluster', message: 'Waiting for the Metal3Cluster of its Cluster.' };
  }
  if (!isInfrastructureReady(cluster)) {
    return { code: 'WaitingForClusterInfrastructure', message: 'Waiting for the infrastructure of its Cluster.' };
  }
  if (machine.spec.bootstrap.dataSecretName === undefined) {
    return { code: 'WaitingForBootstrapReady', message: 'Waiting for the bootstrap data of its Machine.' };
  }
  const foreign = [object.spec.userData, metaData, networkData].find(
    (each) => each?.namespace !== undefined && each.namespace !== namespaceOf(object),
  );
  if (foreign !== undefined) {
    const message = `The Secret ${foreign.namespace}/${foreign.name} is of another namespace: only Secrets of ${namespaceOf(object)} are given to its hosts.`;
    return { code: 'SecretNotAllowed', message };
  }
  // A host that is deployed without data which it was to have would join as something else, or not at all.
  if (dataTemplate !== undefined && metaData === undefined && networkData === undefined) {
    const message = `The Metal3DataTemplate ${dataTemplate.name} is not rendered here: name the Secrets in metaData and networkData instead.`;
    return { code: 'DataTemplateNotServed', message };
  }
  return undefined;
}

/** Older versions of Cluster API tell it by a condition only. */
function isInfrastructureReady({ status }: Cluster): boolean {
  if (status?.initialization?.infrastructureProvisioned === true) return true;
  const conditions = status?.deprecated?.v1beta1?.conditions ?? [];
  return conditions.some((each) => each.type === 'InfrastructureReady' && each.status === 'True');
}
