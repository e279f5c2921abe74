/** What is called while an update is sent. */
export interface SendHooks {
  /**
   * Called before the BMC can have all that it takes to begin: before the last piece of an image, and before a request
   * without one. To be stored, so that the worker that resumes after a crash knows how long to look for what was begun.
   */
  readonly onWhole?: (() => Promise<void>) | undefined;
}
