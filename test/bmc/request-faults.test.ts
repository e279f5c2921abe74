import { testCases } from './fault-case.ts';
import { requestFaultCases } from './request-fault-cases.ts';

testCases(requestFaultCases);
