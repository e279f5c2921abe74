/** One setting of a BIOS. */
export interface BiosConfigSetting {
  readonly id: string;
  readonly key: string;
  readonly value: string;
  /** As a tool of the vendor wrote it. */
  readonly raw?: string;
}

/** The settings of one part: the BIOS itself, or a card with settings of its own. */
export interface BiosConfigComponent {
  readonly id: string;
  readonly name: string;
  readonly vendor: string;
  readonly model: string;
  readonly serial: string;
  readonly settings: readonly BiosConfigSetting[];
}

/** BIOS settings that belong together, under a name that is unique. */
export interface BiosConfigSet {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly components: readonly BiosConfigComponent[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** What can be said of a set. */
export interface BiosConfigDraft {
  readonly name: string;
  readonly version: string;
  readonly components: readonly (Omit<BiosConfigComponent, 'id' | 'settings'> & {
    readonly settings: readonly Omit<BiosConfigSetting, 'id'>[];
  })[];
}

/** Which sets are listed. */
export interface BiosConfigQuery {
  readonly name?: string | undefined;
  readonly version?: string | undefined;
  /** The name of one of its parts. */
  readonly component?: string | undefined;
  readonly vendor?: string | undefined;
  readonly model?: string | undefined;
}
