import { clusterCoreCases } from '../cluster/core.cases.ts';
import { infrastructureCases } from '../cluster/infrastructure.cases.ts';
import { firmwareCases } from '../ironcore/firmware.cases.ts';
import { serverCases } from '../ironcore/servers.cases.ts';
import type { KindCase } from './kind-case.ts';
import { metal3FirmwareCases } from './metal3-firmware.ts';
import { metal3HostCases } from './metal3-hosts.ts';
import { metal3ImageCases } from './metal3-images.ts';
import { metal3PortCases } from './metal3-ports.ts';
import { metal3SwitchCases } from './metal3-switches.ts';

/** Good and bad objects of every kind; any API server must give the same verdict on them. */
export const kindCases: readonly KindCase[] = [
  ...metal3HostCases,
  ...metal3FirmwareCases,
  ...metal3ImageCases,
  ...metal3SwitchCases,
  ...metal3PortCases,
  ...serverCases,
  ...firmwareCases,
  ...infrastructureCases,
  ...clusterCoreCases,
];
