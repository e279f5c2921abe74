export { createTable, type ObjectTable } from '../../kube/index.ts';
