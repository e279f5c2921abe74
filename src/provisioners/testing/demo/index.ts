export { createDemoArrivals, type DemoArrival, type DemoArrivals } from './demo-arrivals.ts';
export { createDemoProvisioners, type DemoOptions } from './demo-provisioners.ts';
export { type DemoPace, type DemoScript, type DemoStep, type DemoTurn, demoSteps } from './pace.ts';
