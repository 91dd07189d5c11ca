/** A feature as SDKs get it. The object never changes, because a newer revision is a new object. */
export type Feature = {
  readonly project: string;
  readonly name: string;
  readonly revision: number;
  readonly text: string;
  readonly segments: readonly number[];
  readonly tags: readonly string[];
  readonly startsChunk: boolean;
};
