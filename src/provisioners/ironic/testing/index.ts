export { createFakeBmc, type FakeBmc } from './fake-bmc.ts';
export { type FakeIronic, type FakeIronicOptions, startFakeIronic } from './fake-ironic.ts';
export type { FakeNode } from './fake-node.ts';
export { createTestBench, hostAt, plainRegistration, type TestBench, targetsOf } from './test-bench.ts';
export { transitions } from './transitions.ts';
