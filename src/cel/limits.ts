/** The most one evaluation may cost. */
export const perCallCostLimit = 1_000_000;

/** The most all rules may cost for one object. */
export const objectCostBudget = 10_000_000;

/** The most the match conditions of one webhook may cost for one request. */
export const matchConditionCostBudget = 2_500_000;
