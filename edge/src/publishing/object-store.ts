/** A stored object. The tag identifies its content. */
export type StoredObject = { bytes: Buffer; tag: string };

export type Headers = { contentType: string; cacheControl: string };

/** Where snapshots are published: a folder, or a bucket with a prefix. */
export type ObjectStore = {
  /** For the log. It contains no secret. */
  readonly name: string;
  /** Returns undefined if there is no such object. Throws if the object is larger than `maxBytes`. */
  read: (key: string, maxBytes: number) => Promise<StoredObject | undefined>;
  write: (key: string, bytes: Buffer, headers: Headers) => Promise<void>;
  /**
   * Replaces the object that was read. Throws a `ChangedError` if the object has changed since, or if it exists although nothing
   * was read. Most S3 stores check this themselves.
   */
  replace: (
    key: string,
    bytes: Buffer,
    headers: Headers,
    previous: Pick<StoredObject, 'tag'> | undefined,
  ) => Promise<void>;
  /** Returns at most 1,000 objects whose keys start with this prefix. */
  list: (prefix: string) => Promise<{ key: string; modifiedAt: number }[]>;
  remove: (key: string) => Promise<void>;
  close: () => Promise<void>;
};

/** Thrown if another writer has created or changed the object. */
export class ChangedError extends Error {}
