import { after } from 'node:test';
import { runAsIfWrittenContract } from '../../src/firmware/contract/as-if-written-contract.ts';
import { openApi } from '../../src/firmware/testing/rig.ts';
import { runFirmwareCommandsContract } from '../e2e/cli-firmware-contract.ts';
import { realConnection } from './kube-connection.ts';

const real = realConnection();
let connecting: ReturnType<typeof real.connect> | undefined;
/** One control plane for both, whoever asks first. */
const connect = () => {
  connecting ??= real.connect();
  return connecting;
};
const open = async () => {
  const { kubeconfig = '' } = (await connect()) as { readonly kubeconfig?: string };
  const api = await openApi({ kubeconfig });
  return { kubeconfig, api, close: () => api.close() };
};
// Nobody serves the rules of admission to this one.
runFirmwareCommandsContract('a real kube-apiserver', open, { isAdmissionAsked: false });
runAsIfWrittenContract('a real kube-apiserver', async () => openApi(await connect()));
after(() => real.stop());
