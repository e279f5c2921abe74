export { copyJson } from './clone.ts';
export { equalJson } from './equal-json.ts';
export { applyJsonPatch } from './json-patch.ts';
export { applyMergePatch } from './merge-patch.ts';
export { applyStrategicMergePatch } from './strategic-merge-patch.ts';
