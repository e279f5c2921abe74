import { testCases } from './fault-case.ts';
import { updateFaultCases } from './update-fault-cases.ts';

testCases(updateFaultCases);
