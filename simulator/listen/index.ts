export { bmcAddress, type Endpoint, hasLoopbackBlock, urlOf } from './addresses.ts';
export { type Certificates, createCertificates } from './certificates.ts';
export { ListenError, type ListenErrorCode } from './errors.ts';
export { Listeners, type ListenersOptions } from './listeners.ts';
export { type Addressing, openFleet } from './open-fleet.ts';
