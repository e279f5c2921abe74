export { durationMs, growingWaitMs, momentOf, textOfMoment } from '../kube/index.ts';
