import type { Clock } from '../../kube/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import type { BootTokens } from './access/boot-tokens.ts';
import type { Door } from './access/door.ts';
import type { TokenSeal } from './access/token-seal.ts';
import type { AgentCounts } from './counts.ts';
import type { CommandDesk } from './endpoint/command-desk.ts';
import type { Hearing } from './hearing.ts';
import type { Refusals } from './introduction/refusals.ts';
import type { AgentLimits, AgentTimes } from './limits.ts';
import type { MachineRecords } from './records/machine-records.ts';

/** What all that concerns agents works with. */
export interface AgentParts {
  readonly records: MachineRecords;
  readonly bootTokens: BootTokens;
  readonly seal: TokenSeal;
  readonly door: Door;
  readonly desk: CommandDesk;
  readonly hearing: Hearing;
  readonly refusals: Refusals;
  readonly count: AgentCounts;
  readonly limits: AgentLimits;
  readonly times: AgentTimes;
  readonly clock: Clock;
  readonly logger: Logger;
}
