import type { CertificateAuthority } from '../certificate-authority.ts';
import type { Objects } from './objects.ts';
import type { ControllerName, ControllerProgram } from './programs.ts';

/** What a scenario works with: one API server, and a folder of its own. */
export interface Bench {
  readonly objects: Objects;
  readonly folder: string;
  readonly program: ControllerProgram;
  /** A kubeconfig of the server, by way of the recording proxy. */
  readonly kubeconfig: { readonly path: string; readonly text: string };
  readonly authority: CertificateAuthority;
  /** So many neighbouring free ports. */
  ports(count: number): Promise<number>;
  /** Something to end when the scenario is over. */
  defer(end: () => Promise<void>): void;
}

/** One controller of another project, and work that it is given. */
export interface Scenario {
  readonly name: ControllerName;
  /** Makes what the controller needs before it starts, and says with which arguments it is started. */
  prepare(bench: Bench): Promise<ControllerStart>;
  /** Gives it all of its work once, and resolves when everything is done and removed. */
  work(bench: Bench, round: number): Promise<void>;
}

export interface ControllerStart {
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** A line that its log has once it works; without one it is expected to wait for its work. */
  readonly logsWhenWorking?: RegExp;
}
