export { copyJson } from './clone.ts';
export { convertFault } from './convert-fault.ts';
export { equalJson } from './equal-json.ts';
export { applyJsonPatch } from './json-patch.ts';
export { applyMergePatch } from './merge-patch.ts';
export { applyStrategicMergePatch } from './strategic-merge-patch.ts';
