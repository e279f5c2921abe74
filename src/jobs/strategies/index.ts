// What authors of strategies in other packages need.
export type { JsonObject, Work, WorkOutcome } from '../../engine/index.ts';
export { type HeldBmc, holdBmc, type InventoryReport, type InventorySink } from '../../flasher/index.ts';
export { defineStrategy, type Strategy, type StrategyFactory, type StrategyTools } from './strategy.ts';
