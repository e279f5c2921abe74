import { personalityNames } from '../../../simulator/index.ts';
import { bmcContract } from './bmc-contract.ts';
import { simulatorTarget } from './simulator-target.ts';

for (const name of personalityNames) bmcContract(simulatorTarget(name));
