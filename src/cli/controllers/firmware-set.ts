import type { TlsTrust } from '../../bmc/index.ts';
import { tokenFromFile } from '../../conditionorc/index.ts';
import { createFirmwareAdmission } from '../../firmware/index.ts';
import { createRpcClient, type UpdateClient } from '../../update-service/index.ts';
import { usageError } from '../errors.ts';
import { startControllers } from '../firmware-plane/start-controllers.ts';
import { readTrust } from '../install-service/start-flasher.ts';
import { readOptionFile } from '../read-option-file.ts';
import type { ControllersSettings, RunningSet, SetParts } from './run-controllers.ts';

/** What the controllers of firmware work with besides the cluster. */
export interface FirmwareSet {
  readonly settings: ControllersSettings;
  readonly updateService: UpdateClient;
  readonly trust: TlsTrust;
}

/** Reads what the controllers of firmware work with. */
export function readFirmwareSet(settings: ControllersSettings): FirmwareSet {
  return { settings, updateService: openUpdateClient(settings), trust: readTrust(settings) };
}

/** Starts onboarding and the controllers of desired firmware. */
export function startFirmwareSet({ settings, updateService, trust }: FirmwareSet, parts: SetParts): RunningSet {
  const admission = createFirmwareAdmission();
  const { check } = startControllers(settings, {
    ...parts,
    updateService,
    admission,
    facilityOf: () => settings.facility[0],
    trustOf: () => trust,
    isShared: true,
  });
  return { check, rules: admission.rules };
}

function openUpdateClient({ updateServiceUrl: url, tokenFile, caFile }: ControllersSettings): UpdateClient {
  if (url === undefined) throw usageError('--update-service-url is missing: who is asked for updates and scans');
  if (tokenFile === undefined) throw usageError('--update-service-url goes with --token-file, which holds a token');
  return createRpcClient({
    url,
    token: tokenFromFile(tokenFile),
    caPem: caFile === undefined ? undefined : readOptionFile(caFile, '--ca-file'),
  });
}
