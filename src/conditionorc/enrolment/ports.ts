/** How a BMC is logged in to. */
export interface BmcLogin {
  readonly address: string;
  readonly username: string;
  readonly password: string;
}

/** What a BMC says of the machine behind it. */
export interface MachineIdentity {
  /** Its System UUID, or what stands for it where that is of no use. */
  readonly id: string;
  /** Empty where it does not say. */
  readonly vendor: string;
  readonly model: string;
  readonly serial: string;
  /** Of its system and of the service root of its BMC; missing where they are of no use. */
  readonly systemUuid?: string | undefined;
  readonly bmcUuid?: string | undefined;
}

/** Asks a BMC which machine it is of, before a server is taken in. */
export interface BmcProbe {
  /** Throws BmcErrors. */
  identify(login: BmcLogin): Promise<MachineIdentity>;
}

/** A Kubernetes plane beside the inventory, where what was enrolled here is to be seen too. */
export interface FleetPlane {
  /** Makes the object of the BMC there; one that is there already stays as it is. */
  bmcEnrolled(server: { readonly id: string; readonly facility: string; readonly bmc: BmcLogin }): Promise<void>;
  /** Takes away what `bmcEnrolled` made; what others made stays. */
  bmcRemoved(serverId: string): Promise<void>;
}
