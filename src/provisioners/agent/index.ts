export { type BootTokens, bootTokensIn, fixedBootTokens } from './access/boot-tokens.ts';
export { type AgentErrorCode, agentErrors, isAgentError } from './errors.ts';
export { type AgentLimits, type AgentTimes, defaultAgentLimits, defaultAgentTimes } from './limits.ts';
export { type Agents, type AgentsOptions, openAgents } from './open-agents.ts';
