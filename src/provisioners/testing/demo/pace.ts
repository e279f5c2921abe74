/** What a demo host can be at. */
export const demoSteps = [
  'register',
  'import',
  'adopt',
  'inspect',
  'prepare',
  'provision',
  'deprovision',
  'service',
  'power',
  'data image',
] as const;

/** One of these. */
export type DemoStep = (typeof demoSteps)[number];

/** How long a step takes. */
export type DemoPace =
  /** It is done by the call that asks for it. */
  | { readonly kind: 'instant' }
  /** It is done when it was asked for so many times more. */
  | { readonly kind: 'calls'; readonly count: number }
  | { readonly kind: 'time'; readonly ms: number }
  | { readonly kind: 'never' };

/** What becomes of one attempt at a step, where it is not the usual. */
export interface DemoTurn {
  readonly pace?: DemoPace;
  /** What went wrong on the host when its time has passed. */
  readonly failure?: string;
}

/** Says for an attempt at a step, the first one being 1, what becomes of it. */
export type DemoScript = (attempt: {
  readonly namespace: string;
  readonly name: string;
  readonly step: DemoStep;
  readonly attempt: number;
}) => DemoTurn | undefined;
